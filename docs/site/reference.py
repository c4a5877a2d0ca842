"""The reference that is written by the program itself: its help, the keys of a plan, the Python package's own words."""

import ast
import json
import re
import subprocess


def pages(folder, incrowd, root):
    """Writes the pages of reference; their titles and names."""
    folder.mkdir(parents=True)
    written = [
        ("Command line", "cli.md", cli(incrowd)),
        ("Keys of the plan", "plan-keys.md", plan(root / "docs" / "plan.schema.json")),
    ]
    if (root / "python" / "incrowd").is_dir():
        written.append(("Python package", "python.md", python(root / "python" / "incrowd")))
    for _, name, text in written:
        (folder / name).write_text(text, encoding="utf-8")
    return [(title, name) for title, name, _ in written]


def help_of(incrowd, words):
    text = subprocess.run([incrowd, *words, "--help"], check=True, capture_output=True, text=True).stdout
    return text.replace(f"Usage: {incrowd.name}", "Usage: incrowd")


def cli(incrowd):
    """Every command with its help, in the order of the help."""
    lines = [
        "# Command line",
        "",
        "The output of `--help` for every command. `incrowd man COMMAND` prints the same as a man page.",
        "",
    ]

    def command(words):
        text = help_of(incrowd, words).strip()
        lines.extend(
            [f"{'#' * (len(words) + 1)} {' '.join(['incrowd', *words])}", "", "```text", text, "```", ""]
            if words
            else ["```text", text, "```", ""]
        )
        for name in (
            re.findall(r"^  (\w[\w-]*) ", text.split("\nCommands:\n", 1)[1].split("\n\n", 1)[0], re.MULTILINE)
            if "\nCommands:\n" in text
            else []
        ):
            if name != "help":
                command([*words, name])

    command([])
    shells = re.search(r"possible values: ([^\]]+)", help_of(incrowd, ["completions"]))
    lines += [
        "## Completions",
        "",
        "`incrowd completions SHELL` prints a script with which a shell completes commands, flags and their values"
        + (f"; supported shells: {' '.join(shells[1].split())}." if shells else "."),
        "",
        "For bash: `incrowd completions bash > ~/.local/share/bash-completion/completions/incrowd`; open a new shell.",
        "",
    ]
    return "\n".join(lines)


def plan(path):
    """Every key of a plan: its type, its default and a sentence."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    lines = [
        "# Keys of the plan",
        "",
        "Generated from the JSON Schema that `incrowd init --schema` prints. [The plan](../plan.md) explains them with "
        "examples.",
        "",
    ]

    def named(node):
        return node["$ref"].rsplit("/", 1)[1] if "$ref" in node else None

    def kind(node):
        if named(node):
            return kind(definitions[named(node)])
        options = [option for option in node.get("anyOf", []) + node.get("oneOf", []) if option.get("type") != "null"]
        if options:
            words = [f"`{option['const']}`" if "const" in option else kind(option) for option in options]
            return " or ".join(dict.fromkeys(words))
        if "enum" in node:
            return " or ".join(f"`{word}`" for word in node["enum"])
        types = [
            word
            for word in ([node["type"]] if isinstance(node.get("type"), str) else node.get("type", []))
            if word != "null"
        ]
        if types == ["array"]:
            inner = kind(node["items"])
            return f"list of {inner}" + ("s" if inner in ("text", "table", "number", "integer") else "")
        names = {"string": "text", "integer": "integer", "boolean": "true or false", "object": "table"}
        text = " or ".join(names.get(word, word) for word in types)
        bounds = [
            f"{words} {node[key]:g}"
            for key, words in (("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"))
            if node.get(key)
        ]
        return text + (f", {' and '.join(bounds)}" if bounds else "")

    def below(node):
        """The object that a key holds, or a list of which it holds."""
        for option in [node, node.get("items", {}), *node.get("anyOf", [])]:
            inner = definitions.get(named(option) or "", option)
            if inner.get("properties"):
                return inner
            forms = [form for form in inner.get("oneOf", []) if form.get("properties")]
            if forms:
                # One of several forms, each with a key of its own.
                described = {
                    key: value | {"description": form["description"]}
                    for form in forms
                    for key, value in form["properties"].items()
                }
                return {"description": f"{inner['description']} One of these:", "properties": described}
        return None

    def table(heading, node):
        lines.extend(
            [
                f"## {heading}",
                "",
                node.get("description", ""),
                "",
                "| key | type | default | meaning |",
                "| --- | --- | --- | --- |",
            ]
        )
        for key, value in node["properties"].items():
            default = "required" if key in node.get("required", []) else "–"
            if value.get("default") not in (None, [], {}):
                default = f"`{json.dumps(value['default'], ensure_ascii=False)}`"
            says = " ".join(
                value.get("description", definitions.get(named(value) or "", {}).get("description", "")).split()
            )
            lines.append(f"| `{key}` | {kind(value)} | {default} | {says} |".replace("\\|", "|"))
        lines.append("")
        for key, value in node["properties"].items():
            if (inner := below(value)) is not None:
                way = [] if heading == "The top level" else [re.sub(r"[`\[\]]", "", heading)]
                dotted = ".".join([*way, key])
                table(f"`[[{dotted}]]`" if kind(value).startswith("list") else f"`[{dotted}]`", inner)

    table("The top level", schema)
    return "\n".join(lines)


def python(package):
    """Everything that the package exports, with its own words, read from the sources without importing them."""
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.glob("*.py"))}
    first = trees["__init__"]
    exported = [
        ast.literal_eval(node.value)
        for node in first.body
        if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node)
    ]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, kinds)}
    found = [nodes[name] for name in (exported or [[]])[0] if name in nodes]
    lines = ["# Python package", "", words(first), ""]
    for heading, classes in (("Functions", False), ("Classes", True)):
        lines += [f"## {heading}", ""]
        lines += [text for node in found if isinstance(node, ast.ClassDef) == classes for text in public(node, 3)]
    return "\n".join(lines)


def words(node):
    """What a module, class or function says of itself, its examples as blocks."""
    example = re.compile(r"((?:^(?:>>>|\.\.\.) .*\n?)(?:^(?!\s*$).*\n?)*)", re.MULTILINE)
    return example.sub(lambda found: f"\n```pycon\n{found[1].rstrip()}\n```\n", ast.get_docstring(node) or "")


def parted(given):
    """The parameters of a function one by one: commas in brackets do not part them."""
    parts, deep = [""], 0
    for letter in given:
        deep += (letter in "[(") - (letter in "])")
        if letter == "," and deep == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [re.sub(r"(?<=[\w\]])=(?=[^=]+$)", " = ", part.strip()) for part in parts]


def public(node, depth):
    """A class with its fields and methods, or a function, as Markdown."""
    if isinstance(node, ast.ClassDef):
        fields = [
            child
            for child in node.body
            if isinstance(child, ast.AnnAssign) and not ast.unparse(child.target).startswith("_")
        ]
        head = "\n".join([f"class {node.name}", *(f"    {ast.unparse(field)}" for field in fields)])
        methods = [
            child for child in node.body if isinstance(child, ast.FunctionDef) and not child.name.startswith("_")
        ]
    else:
        given = ast.unparse(node.args)
        given = given if len(given) < 80 else "".join(f"\n    {one}," for one in parted(given)) + "\n"
        head, methods = f"{node.name}({given})" + (f" -> {ast.unparse(node.returns)}" if node.returns else ""), []
    inner = [text for method in methods for text in public(method, depth + 1)]
    return [f"{'#' * depth} {node.name}", "", "```python", head, "```", "", words(node), "", *inner]
