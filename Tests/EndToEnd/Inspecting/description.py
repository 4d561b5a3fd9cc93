"""The part of JSON Schema that the description of the inspector uses, and whether answers are as it says."""

from __future__ import annotations

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Description:
    """An OpenAPI description."""

    def __init__(self, document: dict):
        self.document = document
        self.paths = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path, item)
                      for path, item in document["paths"].items()]
        self.met: set[str] = set()

    def check(self, method: str, path: str, status: int, answer: object | None) -> None:
        """Fails where an answer is not as described."""
        path = path.partition("?")[0]
        found = [(name, item) for pattern, name, item in self.paths if pattern.fullmatch(path)]
        assert found, f"{path} is not described"
        name, item = found[0]
        operation = item.get(method.lower())
        if operation is None:
            assert status == 405, f"{method} {path} answers {status} and is not described"
            return
        self.met.add(operation["operationId"])
        assert str(status) in operation["responses"], f"{method} {path} answers {status}"
        response = operation["responses"][str(status)]
        while "$ref" in response:
            response = self._named(response["$ref"])
        schema = response.get("content", {}).get("application/json", {}).get("schema")
        if schema and "$ref" in schema:
            self._fits(answer, schema, f"{method} {name}")

    def _named(self, reference: str) -> dict:
        value = self.document
        for part in reference.removeprefix("#/").split("/"):
            value = value[part]
        return value

    def _fits(self, value: object, schema: dict, place: str) -> None:
        while "$ref" in schema:
            schema = self._named(schema["$ref"])
        if "anyOf" in schema:
            problems = []
            for each in schema["anyOf"]:
                try:
                    return self._fits(value, each, place)
                except AssertionError as problem:
                    problems.append(problem)
            raise AssertionError(problems)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        fits = [isinstance(value, int) and not isinstance(value, bool) if each == "integer"
                else isinstance(value, TYPES[each]) for each in types]
        assert not types or any(fits), f"{place}: {value!r} is no {types}"
        assert "enum" not in schema or value in schema["enum"], f"{place}: {value!r}"
        if isinstance(value, list) and "items" in schema:
            for number, each in enumerate(value):
                self._fits(each, schema["items"], f"{place}/{number}")
        if isinstance(value, dict) and "properties" in schema:
            missing = set(schema.get("required", [])) - set(value)
            assert not missing, f"{place} lacks {missing}"
            unknown = set(value) - set(schema["properties"])
            assert not unknown or schema.get("additionalProperties", True), f"{place} has {unknown}"
            for name in set(value) & set(schema["properties"]):
                self._fits(value[name], schema["properties"][name], f"{place}/{name}")
