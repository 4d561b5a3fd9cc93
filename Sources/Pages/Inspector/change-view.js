/** A change before and after, and every version of the object or case that it is about. */

import { get, ofTrace } from "./api.js";
import { link } from "./address.js";
import { button, element, empty, loading, problem } from "./dom.js";
import { seconds } from "./format.js";
import { difference, markedLines } from "./text-difference.js";

/** The tab of a change: what it does to each member, before and after. */
export function changeTab(detail) {
  return detail.changes.map((change) => {
    const facts = [
      ["operation", { M: "modify", "-": "delete" }[change.o] ?? change.o],
      ["version", [change.sv, change.ev].filter((each) => each != null).join(" → ")],
      ["cv", change.cv],
      ["ccid", change.ccid],
      ["client", change.clientid],
      ["error", change.error],
    ];
    return element(
      "section",
      {},
      element("h3", {}, change.key),
      element(
        "dl",
        { class: "facts" },
        facts.filter(([, value]) => value != null && value !== "").map((
          [title, value],
        ) => [element("dt", {}, title), element("dd", {}, String(value))]),
      ),
      effects(change.effects ?? []),
    );
  });
}

/** What a change does, `NAME: BEFORE → AFTER` as a row with both, where they differ marked inside of the line. */
function effects(lines) {
  if (lines.length === 0) {
    return element("p", { class: "soft" }, "What it does is not known: the object before it is not in the trace.");
  }
  return element(
    "table",
    { class: "members" },
    element(
      "thead",
      {},
      element("tr", {}, ["Member", "Before", "After"].map((title) => element("th", { scope: "col" }, title))),
    ),
    element(
      "tbody",
      {},
      lines.map((line) => {
        const match = /^([^:]*): (.*) → (.*)$/s.exec(line);
        if (!match) return element("tr", {}, element("td", { colspan: 3 }, line));
        const both = markedLines(match[2], match[3]);
        return element(
          "tr",
          {},
          element("th", { scope: "row" }, match[1]),
          element("td", {}, both.before.filter(Boolean)),
          element("td", {}, both.after.filter(Boolean)),
        );
      }),
    ),
  );
}

/** The tab with every version of an object, or of cases. */
export function versionsTab(row, detail, cases = []) {
  if (cases.length > 0) {
    return cases.map((id) => element("section", {}, element("h3", {}, `case ${id}`), history({ case: id }, row.name)));
  }
  const keys = [...new Set([row.key, ...(detail.changes ?? []).map(({ key }) => key)].filter(Boolean))];
  return keys.map((key) =>
    element("section", {}, element("h3", {}, `${row.bucket} ${key}`), history({ bucket: row.bucket, key }, row.name))
  );
}

/** The versions of an object or a case in order of time, each with what it changed. */
export function history(query, chosen = null) {
  const place = element("div", {}, loading("Fetching…"));
  const load = () =>
    get(ofTrace("objects", query)).then(({ versions }) => {
      if (versions.length === 0) {
        place.replaceChildren(empty("No version of it is in this trace"));
        return;
      }
      let before = null;
      place.replaceChildren(element(
        "ol",
        { class: "versions" },
        versions.map((version) => {
          const data = version.properties !== undefined ? caseData(version, before) : version.data;
          const was = before;
          if (data != null) before = data;
          const isOwn = version.row === chosen;
          const about = [
            `${version.command ?? version.action ?? ""} from the ${version.sender}`,
            version.version != null && `version ${version.version}`,
            version.error != null && `error ${version.error}`,
            version.status != null && `status ${version.status}`,
          ];
          return element(
            "li",
            { class: isOwn ? "chosen" : "", "aria-current": isOwn && "true" },
            element(
              "a",
              { href: link({ row: version.row }) },
              /^\d/.test(version.row) ? `#${version.row}` : version.row,
            ),
            " ",
            element("span", { class: "soft" }, `${seconds(version.at_ns)} s  ${about.filter(Boolean).join(", ")}`),
            data != null ? shown(was, data) : version.change != null &&
              element(
                "details",
                {},
                element("summary", {}, "The change, as sent"),
                element("pre", {}, JSON.stringify(version.change, null, 1)),
              ),
          );
        }),
      ));
    }, (error) => place.replaceChildren(problem(error, load)));
  load();
  return place;
}

/** A case after a block of a form or restore: what it had before, and what the block sets. */
function caseData({ case_type: type, case_name: name, owner_id: owner, properties, action }, before) {
  const set = { case_type: type, case_name: name, owner_id: owner, ...properties };
  const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value != null));
  return { ...(before ?? {}), ...given, ...(/close/.test(action ?? "") ? { closed: "yes" } : {}) };
}

function shown(was, data) {
  const [first, second] = [was == null ? null : JSON.stringify(was, null, 1), JSON.stringify(data, null, 1)];
  if (first === null) return element("pre", {}, second);
  if (first === second) return element("p", { class: "soft" }, "the same as before");
  return difference(first, second);
}

/** A button that shows the history of something below it. */
export function historyButton(text, query, place) {
  return button(text, () => {
    place.replaceChildren(element("h3", {}, text), history(query));
    place.scrollIntoView({ block: "nearest" });
  }, { class: "link" });
}
