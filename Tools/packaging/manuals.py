"""Man pages from the text of `--help`: what `tapedeck --experimental-dump-help` says, as roff."""

from __future__ import annotations

import datetime
import re

SECTION = "1"
MANUAL = "Tapedeck manual"


def escaped(text: str) -> str:
    """Text as roff takes it: no escapes of its own, no hyphenation of options, no stray requests."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = text.replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)
    return "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)


def paragraphs(text: str) -> str:
    """Paragraphs and examples: what is indented is shown as it is typed."""
    lines: list[str] = []
    shown = False
    for line in text.strip("\n").splitlines():
        indented = line.startswith("  ")
        if indented and not shown:
            lines.append(".PP\n.RS 4\n.EX")
        elif shown and not indented and line.strip():
            lines.append(".EE\n.RE\n.PP")
        if line.strip():
            shown = indented
            lines.append(escaped(line.strip() if not indented else line[2:]))
        elif shown:
            lines.append("")
        else:
            lines.append(".PP")
    if shown:
        while lines[-1] == "":
            lines.pop()
        lines.append(".EE\n.RE")
    return "\n".join(lines)


def value(argument: dict) -> str:
    """The value of an argument, as it stands for what is typed."""
    return f"\\fI{escaped(argument['valueName'])}\\fR"


def spelled(name: dict) -> str:
    """A name of an option with its dashes."""
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def signature(argument: dict) -> str:
    """How an argument is typed."""
    if argument["kind"] == "positional":
        return value(argument)
    names = [name for name in argument["names"] if name["kind"] != "longWithSingleDash"]
    names.sort(key=lambda name: (name["kind"] != "short", name["name"]))
    typed = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in names)
    return typed if argument["kind"] == "flag" else f"{typed} {value(argument)}"


def describe(argument: dict) -> str:
    """An argument with what it means and its default."""
    lines = [".TP", signature(argument), escaped(" ".join(argument.get("abstract", "").split()))]
    if argument.get("discussion"):
        lines.append(paragraphs(argument["discussion"]))
    values = argument.get("allValues")
    if values and not all(each in argument["valueName"] for each in values):
        lines.append("One of " + ", ".join(f"\\fB{escaped(each)}\\fR" for each in values) + ".")
    if argument.get("defaultValue"):
        lines.append(f"Default: {escaped(argument['defaultValue'])}")
    return "\n".join(line for line in lines if line)


def shown(command: dict, kinds: tuple[str, ...]) -> list[dict]:
    """The arguments of some kinds that the help shows."""
    return [argument for argument in command.get("arguments", [])
            if argument["kind"] in kinds and argument.get("shouldDisplay", True)]


def synopsis(words: list[str], command: dict, children: list[dict]) -> str:
    """The line that says how a command is typed."""
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    if children:
        parts.append("\\fIsubcommand\\fR")
    if shown(command, ("option", "flag")):
        parts.append("[\\fIoptions\\fR]")
    for argument in shown(command, ("positional",)):
        part = value(argument) + ("\\ ..." if argument["isRepeating"] else "")
        if argument.get("parsingStrategy") == "postTerminator":
            part = f"\\-\\- {part}"
        parts.append(f"[{part}]" if argument["isOptional"] else part)
    return " ".join(parts)


def page(words: list[str], command: dict, date: str, version: str, related: list[str]) -> str:
    """The man page of one command."""
    name = "-".join(words)
    abstract = " ".join(command["abstract"].split()).rstrip(".")
    children = [each for each in command.get("subcommands", [])
                if each["commandName"] != "help" and each.get("shouldDisplay", True)]
    lines = [
        f'.TH "{escaped(name.upper())}" {SECTION} "{date}" "Tapedeck {version}" "{MANUAL}"',
        ".nh", ".ad l", ".SH NAME", f"{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", synopsis(words, command, children),
        ".SH DESCRIPTION", escaped(abstract) + ".",
    ]
    if command.get("discussion"):
        lines += [".PP", paragraphs(command["discussion"])]
    if positional := shown(command, ("positional",)):
        lines += [".SH ARGUMENTS", *map(describe, positional)]
    sections: dict[str, list[dict]] = {}
    for argument in shown(command, ("option", "flag")):
        sections.setdefault(argument.get("sectionTitle") or "OPTIONS", []).append(argument)
    for title, arguments in sections.items():
        lines += [f'.SH "{escaped(title.upper())}"', *map(describe, arguments)]
    if children:
        lines.append(".SH COMMANDS")
        for each in children:
            lines += [".TP", f"\\fB{escaped(name)}\\-{escaped(each['commandName'])}\\fR({SECTION})",
                      escaped(" ".join(each["abstract"].split()))]
    if related:
        lines += [".SH SEE ALSO", ",\n".join(
            re.sub(r"(.*)\((\d)\)$", r"\\fB\1\\fR(\2)", escaped(each)) for each in related)]
    return "\n".join(lines) + "\n"


def inline(text: str) -> str:
    """A line of Markdown: code and emphasis in bold, links by their words."""
    text = re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)
    parts = re.split(r"`([^`]+)`|\*\*([^*]+)\*\*", text)
    # Plain text, then what one of the two marks enclosed.
    return "".join(escaped(plain) + (f"\\fB{escaped(code or strong)}\\fR" if code or strong else "")
                   for plain, code, strong in zip(
                       parts[::3], [*parts[1::3], None], [*parts[2::3], None], strict=True))


def cells(line: str) -> list[str]:
    """The cells of a row of a table."""
    return [each.strip().replace("\\|", "|") for each in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table(lines: list[str]) -> list[str]:
    """A table, each row as an entry: its first cell, then the others under the names of their columns."""
    names, made = cells(lines[0]), []
    for line in lines[2:]:
        first, *others = cells(line)
        said = others if len(others) < 2 else [
            f"{name}: {each}" for name, each in zip(names[1:], others, strict=False) if each not in ("", "-")]
        made += [".TP", inline(first) or "\\ ", inline("; ".join(each for each in said if each)) or "\\ "]
    return made + [".PP"]


def document(text: str) -> str:
    """Markdown, as our documents have it, as roff."""
    made: list[str] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line, began = lines[at], at
        at += 1
        if line.startswith("```"):
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            made += [".PP", ".RS 4", ".EX", *map(escaped, lines[began + 1:at]), ".EE", ".RE", ".PP"]
            at += 1
        elif line.startswith("|"):
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
            made += table(lines[began:at])
        elif heading := re.match(r"(#+) (.*)", line):
            made.append(f'{".SH" if len(heading[1]) < 3 else ".SS"} "{inline(heading[2])}"')
        elif item := re.match(r"(?:-|\d+\.) (.*)", line):
            made += [".IP \\(bu 2", inline(item[1])]
        elif line.strip():
            made.append(inline(line.strip()))
        elif made and made[-1] != ".PP":
            made.append(".PP")
    return "\n".join(made)


def topics(dumped: dict) -> dict[str, str]:
    """The topics of `tapedeck help TOPIC`, which the help of the program lists, and what each is about."""
    listed = re.search(r"^Topics\b.*:\n((?: +\S.*\n?)+)", dumped["command"].get("discussion") or "", re.MULTILINE)
    return dict(re.findall(r"^ +(\S+) +(\S.*)$", listed[1], re.MULTILINE)) if listed else {}


def topic_pages(texts: dict[str, tuple[str, str]], version: str, epoch: int) -> dict[str, str]:
    """The man pages of topics, by file name; of each topic what it is about, and its text in Markdown."""
    date = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%d")
    return {f"tapedeck-{name}.7": "\n".join([
        f'.TH "TAPEDECK\\-{escaped(name.upper())}" 7 "{date}" "Tapedeck {version}" "{MANUAL}"', ".nh", ".ad l",
        ".SH NAME", f"tapedeck\\-{escaped(name)} \\- {escaped(about)}",
        *([] if text.startswith("#") else [".SH DESCRIPTION"]), document(text),
        ".SH SEE ALSO", "\\fBtapedeck\\fR(1)", ""]) for name, (about, text) in texts.items()}


def pages(dumped: dict, version: str, epoch: int) -> dict[str, str]:
    """The man pages of the program and each of its commands, by file name.

    `dumped` is what `--experimental-dump-help` prints; `epoch` is their date in Unix seconds.
    """
    date = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%d")
    found: dict[str, str] = {}

    def walk(command: dict, above: list[str]) -> None:
        words = [*above, command["commandName"]]
        children = [each for each in command.get("subcommands", [])
                    if each["commandName"] != "help" and each.get("shouldDisplay", True)]
        related = [f"{'-'.join(above)}({SECTION})"] if above else [
            f"tapedeck-{topic}(7)" for topic in topics(dumped)]
        name = "-".join(words)
        found[f"{name}.{SECTION}"] = page(words, command, date, version, related)
        for child in children:
            walk(child, words)

    walk(dumped["command"], [])
    return found
