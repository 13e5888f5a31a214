. "$(dirname "$0")/lib.sh"
# Ranks meet on this machine by the same variables as on a cluster. Two such jobs at the same time do not collide.
cat >rank.py <<'E2'
import os, socket, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
assert place == (os.environ["PET_MASTER_ADDR"], int(os.environ["PET_MASTER_PORT"]))
assert (rank, world) == (int(os.environ["PET_NODE_RANK"]), int(os.environ["PET_NNODES"]))
if rank == 0:
    listener = socket.create_server(place)
    for peer in sorted(listener.accept()[0].recv(99).decode() for _ in range(world - 1)):
        print("heard", peer, flush=True)
else:
    deadline = time.time() + 600
    while True:
        try:
            socket.create_connection(place).send(f"{os.environ['JOB']} {rank}".encode())
            break
        except ConnectionRefusedError:
            assert time.time() < deadline
            time.sleep(0.05)
E2
for name in left right; do
  expect 0 "$KML" submit -t job-indexed --name $name --nodes 3 --env JOB=$name -- python3 "$work/rank.py"
done
expect 0 "$KML" wait left right --timeout 1000s
for name in left right; do
  expect 0 "$KML" logs $name
  for rank in 1 2; do contains "$out" "heard $name $rank"; done
done
for kind in mpijob jobset trainjob; do
  expect 2 "$KML" submit -t $kind --nodes 2 -- true
  contains "$err" "use -t job-indexed or -t pytorchjob here"
done
