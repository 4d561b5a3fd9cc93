/** Two texts compared: lines that were removed, added or changed, and what changed inside of a line. */

import { element } from "./dom.js";

const MOST = 4_000_000;

/** Pairs of what is equal in two arrays, longest first by common subsequence; none where that would take too long. */
function aligned(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
  }
  const rows = before.length - start - end;
  const columns = after.length - start - end;
  const pairs = Array.from({ length: start }, (_, index) => [index, index]);
  if (rows * columns <= MOST) {
    const width = columns + 1;
    const lengths = new Uint32Array((rows + 1) * width);
    for (let row = rows - 1; row >= 0; row -= 1) {
      for (let column = columns - 1; column >= 0; column -= 1) {
        lengths[row * width + column] = before[start + row] === after[start + column]
          ? lengths[(row + 1) * width + column + 1] + 1
          : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
      }
    }
    let row = 0;
    let column = 0;
    while (row < rows && column < columns) {
      if (before[start + row] === after[start + column]) pairs.push([start + row++, start + column++]);
      else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) row += 1;
      else column += 1;
    }
  }
  for (let index = end; index > 0; index -= 1) pairs.push([before.length - index, after.length - index]);
  return pairs;
}

/** Runs of what is the same and what is not: { before, after, isSame } with arrays. */
export function runs(before, after) {
  const made = [];
  let row = 0;
  let column = 0;
  for (const [at, to] of [...aligned(before, after), [before.length, after.length]]) {
    if (row < at || column < to) {
      made.push({ before: before.slice(row, at), after: after.slice(column, to), isSame: false });
    }
    if (at < before.length) {
      const last = made.at(-1);
      if (last?.isSame) {
        last.before.push(before[at]);
        last.after.push(after[to]);
      } else made.push({ before: [before[at]], after: [after[to]], isSame: true });
    }
    row = at + 1;
    column = to + 1;
  }
  return made;
}

/** A line before and after, with what differs in <del> and <ins>. */
export function markedLines(before, after) {
  const split = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
  const parts = runs(split(before), split(after));
  return {
    before: parts.map((
      part,
    ) => (part.isSame
      ? part.before.join("")
      : part.before.length > 0
      ? element("del", {}, part.before.join(""))
      : null)
    ),
    after: parts.map((
      part,
    ) => (part.isSame ? part.after.join("") : part.after.length > 0 ? element("ins", {}, part.after.join("")) : null)),
  };
}

/** Two texts line by line, as one column of lines that are equal, removed or added. */
export function difference(before, after) {
  const lines = [];
  const line = (kind, sign, ...content) =>
    lines.push(
      element(
        "div",
        { class: `line ${kind}` },
        element("span", {
          class: "sign",
          "aria-label": { "-": "removed", "+": "added", " ": "same" }[sign],
          role: "img",
        }, sign),
        element("span", { class: "line-text" }, ...content),
      ),
    );
  for (const run of runs(before.split("\n"), after.split("\n"))) {
    if (run.isSame) {
      for (const text of run.before) line("same", " ", text);
      continue;
    }
    const paired = Math.min(run.before.length, run.after.length);
    for (let index = 0; index < run.before.length; index += 1) {
      line(
        "removed",
        "-",
        index < paired ? markedLines(run.before[index], run.after[index]).before.filter(Boolean) : run.before[index],
      );
    }
    for (let index = 0; index < run.after.length; index += 1) {
      line(
        "added",
        "+",
        index < paired ? markedLines(run.before[index], run.after[index]).after.filter(Boolean) : run.after[index],
      );
    }
  }
  return element("div", { class: "difference", tabindex: "0", role: "region", "aria-label": "Differences" }, lines);
}
