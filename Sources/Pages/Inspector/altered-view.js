/** What Tapedeck did to a row, and both versions side by side: what was sent, and what was received. */

import { get, ofTrace } from "./api.js";
import { link } from "./address.js";
import { element, loading, problem } from "./dom.js";
import { duration, seconds } from "./format.js";
import { difference } from "./text-difference.js";

const prefixes = { exchange: "", command: "c", message: "m" };

/** The tab: each fault with its verdict, then the differences to the version of the other side. */
export function faultsTab(row, detail, counterpart) {
  const place = element("div", {}, (detail.faults ?? []).map(fault));
  if (counterpart != null) {
    const other = `${prefixes[row.kind]}${counterpart}`;
    const both = element("div", {}, loading("Fetching the other version…"));
    place.append(both);
    get(ofTrace(`rows/${other}`)).then((found) => {
      const ours = { row, detail };
      const [client, server] = row.side === "server" ? [found, ours] : [ours, found];
      // A fault belongs to the version of the side that it was applied to.
      const theirs = (found.detail.faults ?? []).filter(({ id }) => !detail.faults?.some((each) => each.id === id));
      both.replaceChildren(...theirs.map(fault), ...sides(client, server));
    }, (error) => both.replaceChildren(problem(error)));
  } else if (row.side !== "both") {
    place.append(
      element("p", { class: "soft" }, `Only the ${row.side} had this: it has no counterpart on the other side.`),
    );
  }
  return place;
}

function fault(fault) {
  const verdict = fault.verdict ?? "undecided";
  return element(
    "article",
    { class: "finding fault" },
    element("h3", {}, element("span", { class: "badge badge-fault" }, "fault"), " ", fault.rule),
    element(
      "p",
      {},
      element("code", {}, fault.action),
      ` at ${seconds(fault.at_ns)} s, occurrence ${fault.occurrence}: ${fault.effect ?? ""}`,
    ),
    fault.problem && element("p", { class: "error" }, fault.problem),
    element(
      "p",
      {},
      element("strong", {}, `${verdict}: `),
      `${fault.how ?? "not judged yet"}${fault.after_ns == null ? "" : `, after ${duration(fault.after_ns)}`}`,
      fault.shown_by_exchange_id != null &&
        [
          " ",
          element("a", { href: link({ row: String(fault.shown_by_exchange_id) }) }, `#${fault.shown_by_exchange_id}`),
        ],
      fault.shown_by_command_id != null &&
        [" ", element("a", { href: link({ row: `c${fault.shown_by_command_id}` }) }, `c${fault.shown_by_command_id}`)],
    ),
    (fault.came != null || fault.sent != null) &&
      versions(["Received by Tapedeck", fault.came ?? ""], ["Sent by Tapedeck", fault.sent ?? ""]),
  );
}

/** Two texts beside each other, and what differs between them below. */
function versions([firstTitle, first], [secondTitle, second]) {
  return element(
    "div",
    {},
    element(
      "div",
      { class: "side-by-side" },
      element(
        "figure",
        {},
        element("figcaption", {}, firstTitle),
        element("pre", { tabindex: "0", role: "region", "aria-label": firstTitle }, first),
      ),
      element(
        "figure",
        {},
        element("figcaption", {}, secondTitle),
        element("pre", { tabindex: "0", role: "region", "aria-label": secondTitle }, second),
      ),
    ),
  );
}

function sides(client, server) {
  const pairs = client.row.kind === "exchange"
    ? [[
      "Request",
      "sent by the client",
      whole(client.detail.request),
      "received by the server",
      whole(server.detail.request),
    ], [
      "Response",
      "sent by the server",
      whole(server.detail.response),
      "received by the client",
      whole(client.detail.response),
    ]]
    : client.row.sender === "client"
    ? [["Payload", "sent by the client", payload(client), "received by the server", payload(server)]]
    : [["Payload", "sent by the server", payload(server), "received by the client", payload(client)]];
  return pairs.map(([title, sentBy, sent, receivedBy, received]) =>
    element(
      "section",
      {},
      element("h3", {}, title),
      sent === received
        ? element("p", { class: "soft" }, "Both sides had the same.")
        : [element("p", { class: "soft" }, `− ${sentBy}, + ${receivedBy}`), difference(sent, received)],
    )
  );
}

const whole = (
  message,
) => (message ? `${message.head.replaceAll("\r\n", "\n")}${message.content ?? lines(message.content_hex ?? "")}` : "");

/** Hexadecimal digits in lines of 32 bytes, so that those that differ stand out. */
const lines = (digits) => digits.replace(/.{64}/g, "$&\n");
const payload = ({ detail }) => (detail.command ?? detail.message ?? detail).payload ?? "";
