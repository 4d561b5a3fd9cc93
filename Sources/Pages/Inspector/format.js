/** Times and sizes as text. */

/** Nanoseconds as seconds with milliseconds. */
export function seconds(nanoseconds) {
  return (nanoseconds / 1e9).toFixed(3);
}

/** A span of time in the unit that suits it. */
export function duration(nanoseconds) {
  const size = Math.abs(nanoseconds);
  if (size < 1e3) return `${Math.round(nanoseconds)} ns`;
  if (size < 1e6) return `${Math.round(nanoseconds / 1e3)} µs`;
  if (size < 1e9) return `${digits(nanoseconds / 1e6)} ms`;
  if (size < 60e9) return `${digits(nanoseconds / 1e9)} s`;
  if (size < 3600e9) return `${Math.floor(nanoseconds / 60e9)} min ${Math.floor((nanoseconds / 1e9) % 60)} s`;
  return `${Math.floor(nanoseconds / 3600e9)} h ${Math.floor((nanoseconds / 60e9) % 60)} min`;
}

/** A number with at least two digits, and no more than one after the point. */
function digits(number) {
  return Math.abs(number) < 10 ? number.toFixed(1) : String(Math.round(number));
}

/** Bytes in the unit that suits them. */
export function bytes(count) {
  if (count == null) return "";
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let size = count;
  let unit = -1;
  do {
    size /= 1024;
    unit += 1;
  } while (size >= 1024 && unit < units.length - 1);
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** A number and its noun: 1 row, 2 rows, 1,000,000 rows. */
export function counted(number, noun, nouns = `${noun}s`) {
  return `${grouped(number)} ${number === 1 ? noun : nouns}`;
}

/** A number with commas. */
export function grouped(number) {
  return number.toLocaleString("en-US");
}

/** The clock of a session at a time of its trace, hours to milliseconds in the time zone of the reader. */
export function clock(session, atNs) {
  const at = new Date(session.started_ms + (atNs - session.start_ns) / 1e6);
  const two = (number) => String(number).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${
    String(at.getMilliseconds()).padStart(3, "0")
  }`;
}

/** The day and time at which a session began. */
export function began(session) {
  return new Date(session.started_ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
