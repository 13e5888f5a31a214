"""The demo's lines: an evaluation at every tenth step, and the accuracy with the default seed.

seeds_test.cc tests other seeds. An independent copy of the demo in NumPy stayed within these bands over 20 seeds.
"""

from support import accuracies, check, trainer

BANDS = {100: (0.905, 0.925), 490: (0.952, 0.959)}  # with PyTorch's initial values it would end at 0.942

found = accuracies(trainer("--max_steps", 500).stdout)
check(list(found) == list(range(0, 500, 10)), f"evaluations at {list(found)}")
for step, (low, high) in BANDS.items():
    print(f"step {step}: {found[step]}")
    check(low <= found[step] <= high, f"{found[step]} at step {step}")
