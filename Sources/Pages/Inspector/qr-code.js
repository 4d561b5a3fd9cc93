/** QR codes (ISO/IEC 18004) of short texts: byte mode, error correction M, versions 1 to 4, which hold 62 bytes. */

// By version: data codewords of a block, codewords of its error correction, blocks, place of the alignment pattern.
const versions = [null, [16, 10, 1, 0], [28, 16, 1, 18], [44, 26, 1, 22], [32, 18, 2, 26]];
// Correction M with mask 0, which any reader understands: its bits are the same for each code.
const FORMAT = 0b101010000010010;
const SPACE = "http://www.w3.org/2000/svg";

const powers = new Uint8Array(512);
const logarithms = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  powers[power] = value;
  powers[power + 255] = value;
  logarithms[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const product = (a, b) => (a && b ? powers[logarithms[a] + logarithms[b]] : 0);

/** The remainder of Reed and Solomon. */
function correction(data, count) {
  let divisor = [1];
  for (let power = 0; power < count; power += 1) {
    const next = [...divisor, 0];
    divisor.forEach((factor, index) => {
      next[index + 1] ^= product(factor, powers[power]);
    });
    divisor = next;
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let index = 0; index < data.length; index += 1) {
    const factor = rest[index];
    if (factor) {
      divisor.forEach((each, offset) => {
        rest[index + offset] ^= product(each, factor);
      });
    }
  }
  return rest.slice(data.length);
}

function codewords(bytes, [perBlock, corrections, blocks]) {
  const bits = [0, 1, 0, 0];
  const put = (value, count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  put(bytes.length, 8);
  for (const byte of bytes) put(byte, 8);
  const capacity = perBlock * blocks * 8;
  put(0, Math.min(4, capacity - bits.length));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xfd) put(pad, 8);
  const words = [];
  for (let start = 0; start < bits.length; start += 8) words.push(parseInt(bits.slice(start, start + 8).join(""), 2));
  const split = Array.from({ length: blocks }, (_, block) => words.slice(block * perBlock, (block + 1) * perBlock));
  const corrected = split.map((block) => correction(block, corrections));
  const interleaved = (rows) => rows[0].flatMap((_, index) => rows.map((row) => row[index]));
  return [...interleaved(split), ...interleaved(corrected)];
}

/** The modules of the code of a text, rows of true for dark; nothing where it is too long. */
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex((each) => each && each[0] * each[2] - 2 >= bytes.length);
  if (version < 0) return null;
  const size = 17 + version * 4;
  const modules = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (row, column, isDark) => {
    if (modules[row]?.[column] !== undefined) modules[row][column] = isDark;
  };
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) {
    for (let row = -1; row <= 7; row += 1) {
      for (let column = -1; column <= 7; column += 1) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        set(top + row, left + column, ring !== 2 && ring <= 3);
      }
    }
  }
  const alignment = versions[version][3];
  for (let row = -2; alignment && row <= 2; row += 1) {
    for (let column = -2; column <= 2; column += 1) {
      set(alignment + row, alignment + column, Math.max(Math.abs(row), Math.abs(column)) !== 1);
    }
  }
  for (let index = 8; index < size - 8; index += 1) {
    modules[6][index] = index % 2 === 0;
    modules[index][6] = index % 2 === 0;
  }
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((FORMAT >> bit) & 1) === 1;
    set(...(bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : [size - 15 + bit, 8]), isDark);
    set(...(bit < 8 ? [8, size - 1 - bit] : bit < 9 ? [8, 7] : [8, 14 - bit]), isDark);
  }
  modules[size - 8][8] = true;
  place(modules, codewords(bytes, versions[version]));
  return modules;
}

/** Puts the bits into what is free, two columns at a time, up and down from the right. */
function place(modules, words) {
  const size = modules.length;
  let bit = 0;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (modules[row][column] !== null) continue;
        const value = ((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
        modules[row][column] = (value === 1) !== ((row + column) % 2 === 0);
        bit += 1;
      }
    }
    isUp = !isUp;
  }
}

/** The code as a picture, dark on light in either scheme since not every reader takes the inverse. */
export function qrCode(text, label) {
  const modules = qrModules(text);
  if (!modules) return null;
  const size = modules.length + 8;
  const made = (name, attributes) => {
    const each = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) each.setAttribute(key, value);
    return each;
  };
  const path = modules.flatMap((row, top) =>
    row.map((isDark, left) => (isDark ? `M${left + 4} ${top + 4}h1v1h-1z` : ""))
  ).join("");
  const picture = made("svg", {
    viewBox: `0 0 ${size} ${size}`,
    class: "qr-code",
    role: "img",
    "aria-label": label,
    "shape-rendering": "crispEdges",
  });
  picture.append(made("rect", { width: size, height: size, fill: "#fff" }), made("path", { d: path, fill: "#000" }));
  return picture;
}
