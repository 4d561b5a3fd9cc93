/** What `show` says of a row, as sentences. */

import { link } from "./address.js";
import { element } from "./dom.js";
import { status } from "./row-words.js";
import { markedLines } from "./text-difference.js";

// What stands before a colon in a line of `show`, and how the line is set apart.
const callouts = [
  [/^finding (error|warning|info) ([^:\s]+)/, (match) => ({ kind: match[1], name: match[2] })],
  [/^fault ([^:]+)/, (match) => ({ kind: "fault", name: `fault ${match[1]}` })],
  [/^(\d{3} means|the client must)/, (match) => ({ kind: "means", name: match[1] })],
  [/^(expected|note [^:]+)/, (match) => ({ kind: "", name: match[1] })],
];

/**
 * What `show` says: its first lines as sentences, in which names of rows lead to them and what matters is set apart;
 * then what it quotes, of an exchange folded since its other parts show the same.
 */
export function words(text, row = null) {
  const cut = text.search(/\n\n|\n── /);
  const [first, ...rest] = (cut < 0 ? text : text.slice(0, cut)).split("\n");
  const lines = rest.filter((line) => line.trim() !== "");
  const said = [];
  for (const line of lines) {
    const made = sentence(line);
    // What belongs to a finding or fault stands below it.
    const isBelow = /^ {4,}/.test(line) && said.length > 0;
    if (isBelow && said.at(-1).classList.contains("callout")) said.at(-1).append(made);
    else said.push(made);
  }
  const quoted = cut >= 0 &&
    element("pre", { tabindex: "0", role: "region", "aria-label": "As text" }, text.slice(cut).trim());
  const isExchange = row?.kind === "exchange";
  return [
    element(
      "div",
      { class: "words" },
      isExchange ? exchangeHead(row) : element("p", { class: "first" }, ...linked(first)),
      said,
    ),
    isExchange && quoted
      ? element("details", { class: "quoted" }, element("summary", {}, "Request and response as text"), quoted)
      : quoted,
  ];
}

/** Method, address and outcome of an exchange in a line, and the parameters of its query as a table. */
function exchangeHead(row) {
  const [address, ...query] = (row.url ?? row.path ?? "").split("?");
  const parameters = query.join("?") === "" ? [] : [...new URLSearchParams(query.join("?"))];
  const { text, level } = status(row);
  return [
    element(
      "p",
      { class: "first" },
      element("span", { class: `outcome ${level}` }, text),
      ` ${row.method} ${address}`,
    ),
    parameters.length > 0 &&
      element(
        "table",
        { class: "fields parameters", "aria-label": "Parameters of the query" },
        element(
          "tbody",
          {},
          parameters.map(([name, value]) =>
            element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))
          ),
        ),
      ),
  ];
}

/** A line of `show`. */
function sentence(line) {
  const depth = /^ {4,}/.test(line) ? " deeper" : "";
  const told = line.trim();
  const change = depth !== "" && /^([^:]{1,100}): (.*) → (.*)$/s.exec(told);
  if (change) {
    const both = markedLines(change[2], change[3]);
    return element(
      "p",
      { class: "said deeper" },
      `${change[1]}: `,
      both.before.filter(Boolean),
      " → ",
      both.after.filter(Boolean),
    );
  }
  const colon = told.indexOf(": ");
  for (const [pattern, of] of colon < 0 ? [] : callouts) {
    const match = pattern.exec(told);
    if (!match || match[0].length !== colon) continue;
    const { kind, name } = of(match);
    const isBadge = kind === "error" || kind === "warning" || kind === "info";
    return element(
      "div",
      { class: kind === "" ? `said${depth}` : `callout ${kind}` },
      element(
        "p",
        {},
        isBadge && [element("span", { class: `badge badge-${kind}` }, kind), " "],
        element("strong", {}, `${name}: `),
        ...linked(told.slice(colon + 2)),
      ),
    );
  }
  return element("p", { class: `said${depth}` }, ...linked(told));
}

/** Text in which names of rows are links. */
function linked(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/(?<![\w/#.-])(?:#(\d+)|([cmk]\d+))(?![\w/-])/g)) {
    parts.push(text.slice(from, match.index), element("a", { href: link({ row: match[1] ?? match[2] }) }, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}
