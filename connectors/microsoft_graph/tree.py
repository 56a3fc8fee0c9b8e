"""The folders of a root, as the last sync left them and as the feed of changes updates them: it
names what has changed by id, and says nothing of what lies in it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from connectors.microsoft_graph.chosen import ChosenRoot
from connectors.microsoft_graph.items import DriveItem, SharedTarget
from sources.connectors.remote import place_of

# A path there has at most 400 characters, and no circles: what is longer is not true.
DEPTH_MAX = 100
PLACE_MAX_CHARS = 2000


@dataclass(frozen=True)
class TreeNode:
    """A folder, or what stands for something in another drive."""

    parent_id: str
    name: str
    target: SharedTarget | None = None


@dataclass
class FolderTree:
    """`delta_link`: what happened since. `newest`: when the last of all that was told had been
    modified, as Graph writes it. `nodes`: by id."""

    root: ChosenRoot
    delta_link: str = ""
    newest: str = ""
    nodes: dict[str, TreeNode] = field(default_factory=dict)

    def update(self, item: DriveItem) -> bool:
        """Takes in an item; True if something inside it may have come, gone or moved with it."""
        self.newest = max(self.newest, item.modified_at)
        before = self.nodes.get(item.id)
        if item.is_gone or item.is_file:
            self.nodes.pop(item.id, None)
            return before is not None
        if item.id == self.root.item_id or not (item.is_folder or item.target):
            return False
        self.nodes[item.id] = TreeNode(item.parent_id, item.name, item.target)
        return item.is_folder and before != self.nodes[item.id]

    def drop_inside(self, gone_ids: Set[str]) -> None:
        """Forgets the content of folders that are gone: it went with them, and the feed does not
        say so."""
        self.nodes = {
            item_id: node
            for item_id, node in self.nodes.items()
            if self.top_of(node) not in gone_ids
        }

    def top_of(self, node: TreeNode) -> str:
        """The id of the outermost folder that holds it: the root's, or that of a folder which is
        gone."""
        for _ in range(DEPTH_MAX):
            above = self.nodes.get(node.parent_id)
            if above is None:
                break
            node = above
        return node.parent_id

    def place(self, parent_id: str, name: str) -> str:
        """The place of something in that folder; an unknown parent is the root."""
        names = [name]
        while (node := self.nodes.get(parent_id)) is not None and len(names) < DEPTH_MAX:
            names.append(node.name)
            parent_id = node.parent_id
        return place_of([self.root.place, *reversed(names)])[:PLACE_MAX_CHARS]

    def place_of_node(self, node: TreeNode) -> str:
        return self.place(node.parent_id, node.name)

    def to_json(self) -> dict[str, Any]:
        """The tree as JSON, for the cursor."""
        nodes = {
            item_id: [node.parent_id, node.name, *target_to_json(node.target)]
            for item_id, node in self.nodes.items()
        }
        return {
            "place": self.root.place,
            "delta_link": self.delta_link,
            "newest": self.newest,
            "nodes": nodes,
        }


def target_to_json(target: SharedTarget | None) -> tuple[Any, ...]:
    return (target.drive_id, target.item_id, target.is_folder) if target else ()


def tree_of(root: ChosenRoot, kept: Mapping[str, Any]) -> FolderTree:
    """The tree that `to_json` wrote."""
    nodes = {
        item_id: TreeNode(parent_id, name, SharedTarget(*target) if target else None)
        for item_id, (parent_id, name, *target) in kept["nodes"].items()
    }
    return FolderTree(root, kept["delta_link"], kept["newest"], nodes)
