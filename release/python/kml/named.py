"""What jobs and schedules have in common: a name, and the target where it is."""

from __future__ import annotations

from typing import List, Optional

from .arguments import place, text_of


class Named:
    """An object with a name, in a namespace of a target."""

    def __init__(self, name: str, context: Optional[str] = None, namespace: Optional[str] = None,
                 kubeconfig: Optional[str] = None) -> None:
        self.name = text_of("name", name)
        self.context = context
        self.namespace = namespace
        self.kubeconfig = kubeconfig

    def _args(self, *args: str) -> List[str]:
        return [*args, *place(self.context, self.namespace, self.kubeconfig)]
