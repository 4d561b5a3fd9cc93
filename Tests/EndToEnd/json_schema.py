"""As much of JSON Schema as the schemas of this repository use; what is not known is an error."""

from __future__ import annotations

import re
from typing import Any

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
REMARKS = {"$schema", "$defs", "title", "description"}


class Schema:
    """A schema that values are checked against."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root

    def problems(self, value: Any, schema: dict[str, Any] | None = None, place: str = "") -> list[str]:
        """What is wrong with a value, each with its place; none if it is valid."""
        schema = self.root if schema is None else schema
        found: list[str] = []
        for word, wanted in schema.items():
            if word in REMARKS or word == "then":
                continue
            check = getattr(self, "_" + word.lstrip("$"), None)
            assert check, f"this reader of schemas does not know {word}"
            found += [f"{place}: {problem}" if ": " not in problem else problem
                      for problem in check(value, wanted, schema, place)]
        return found

    def _ref(self, value, wanted, _schema, place):
        node = self.root
        for name in wanted.removeprefix("#/").split("/"):
            node = node[name]
        return self.problems(value, node, place)

    def _type(self, value, wanted, _schema, _place):
        names = [wanted] if isinstance(wanted, str) else wanted
        for name in names:
            if name == "integer":
                if isinstance(value, int) and not isinstance(value, bool):
                    return []
            elif isinstance(value, TYPES[name]):
                return []
        return [f"{value!r} is no {wanted}"]

    def _const(self, value, wanted, _schema, _place):
        return [] if value == wanted else [f"{value!r} is not {wanted!r}"]

    def _enum(self, value, wanted, _schema, _place):
        return [] if value in wanted else [f"{value!r} is none of {wanted}"]

    def _properties(self, value, wanted, _schema, place):
        members = value if isinstance(value, dict) else {}
        return [problem for name, schema in wanted.items() if name in members
                for problem in self.problems(members[name], schema, f"{place}/{name}")]

    def _required(self, value, wanted, _schema, _place):
        return [f"{name} is missing" for name in wanted if isinstance(value, dict) and name not in value]

    def _additionalProperties(self, value, wanted, schema, place):
        others = {name: each for name, each in (value if isinstance(value, dict) else {}).items()
                  if name not in schema.get("properties", {})}
        if wanted is False:
            return [f"{name} is not expected" for name in others]
        return [problem for name, each in others.items()
                for problem in self.problems(each, wanted, f"{place}/{name}")]

    def _items(self, value, wanted, _schema, place):
        return [problem for number, each in enumerate(value if isinstance(value, list) else [])
                for problem in self.problems(each, wanted, f"{place}/{number}")]

    def _oneOf(self, value, wanted, _schema, place):
        tried = [self.problems(value, each, place) for each in wanted]
        if sum(not each for each in tried) == 1:
            return []
        return ["none or several of oneOf hold: " + "; ".join(sum(tried, []))]

    def _allOf(self, value, wanted, _schema, place):
        return [problem for each in wanted for problem in self.problems(value, each, place)]

    def _if(self, value, wanted, schema, place):
        return [] if self.problems(value, wanted, place) else self.problems(value, schema["then"], place)

    def _minimum(self, value, wanted, _schema, _place):
        return [f"{value} is below {wanted}"] if isinstance(value, int) and value < wanted else []

    def _maximum(self, value, wanted, _schema, _place):
        return [f"{value} is above {wanted}"] if isinstance(value, int) and value > wanted else []

    def _minItems(self, value, wanted, _schema, _place):
        return ["there are too few"] if isinstance(value, list) and len(value) < wanted else []

    def _maxItems(self, value, wanted, _schema, _place):
        return ["there are too many"] if isinstance(value, list) and len(value) > wanted else []

    def _pattern(self, value, wanted, _schema, _place):
        return [] if not isinstance(value, str) or re.search(wanted, value) else [f"{value!r} is unlike {wanted}"]
