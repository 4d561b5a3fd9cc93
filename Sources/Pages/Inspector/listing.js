/** A listing that the server keeps: names of rows in order of time, fetched in pages as they are looked at. */

import { get, post, remove } from "./api.js";
import { subscribe, unsubscribe } from "./live.js";
import { state } from "./store.js";

const PAGE = 200;
const PAGES = 60;
const AT_ONCE = 2;

export class Listing {
  /**
   * A listing of a trace; `changed` is called when there are other rows to show, `touched` with the names of rows that
   * have other values (null: any may have), `failed` with an error.
   */
  constructor(trace, filter, { changed, failed, touched = () => {}, side = "client" }) {
    Object.assign(this, {
      trace,
      filter,
      side,
      changed,
      failed,
      touched,
      id: null,
      count: 0,
      isComplete: false,
      changes: 0,
    });
    this.pages = new Map();
    this.wanted = [];
    this.fetching = new Set();
    this.places = new Map();
    this.isClosed = false;
    this.closing = new AbortController();
    /** Settled once all rows that there were at the beginning are in it. */
    this.complete = new Promise((settle) => this.settle = settle);
  }

  path(rest = "") {
    return `/v1/traces/${this.trace}/listings${this.id == null ? "" : `/${this.id}`}${rest}`;
  }

  /** Has the server make it; it is made again when the server has dropped it. */
  async open() {
    this.id = null;
    const made = await post(this.path(), { filter: this.filter, side: this.side });
    if (this.isClosed) {
      this.id = made.id;
      this.drop();
      return;
    }
    this.take(made);
    this.id = made.id;
    subscribe(this, (update) => this.update(update));
    this.ask();
  }

  /** Asks how far it is as long as nothing is said over the WebSocket. */
  ask() {
    setTimeout(async () => {
      if (this.isClosed || this.isComplete) return;
      if (state.connection !== "open") {
        const found = await get(this.path(), this.closing.signal).catch(() => null);
        if (found && !this.isClosed) this.update(found);
      }
      this.ask();
    }, 1000);
  }

  take({ count, is_complete: isComplete, changes, problem }) {
    Object.assign(this, { count, isComplete, changes, problem });
    if (isComplete) this.settle();
  }

  update(update) {
    if (update.error) {
      if (update.error === "no-listing") this.renew();
      return;
    }
    const before = this.count;
    this.take(update);
    const changed = update.changed === null
      ? [...this.pages.keys()]
      : (update.changed ?? []).map((name) => this.places.get(name)).filter((place) => place != null).map((place) =>
        Math.floor(place / PAGE)
      );
    // A page that was not full has more rows now.
    if (this.count > before) changed.push(Math.floor(before / PAGE));
    for (const page of new Set(changed)) if (this.pages.has(page)) this.pages.get(page).isStale = true;
    if (update.changed === null || update.changed?.length > 0) this.touched(update.changed);
    this.changed();
  }

  /** A row by its place, or nothing until it was fetched. */
  row(place) {
    return this.pages.get(Math.floor(place / PAGE))?.rows[place % PAGE];
  }

  /** Fetches what is missing between two places; what was wanted before and is not shown any more is forgotten. */
  want(first, last) {
    this.wanted = [];
    for (
      let page = Math.floor(Math.max(0, first) / PAGE);
      page <= Math.floor(Math.min(this.count - 1, last) / PAGE);
      page += 1
    ) {
      const known = this.pages.get(page);
      if (known) {
        // Those looked at last are dropped last.
        this.pages.delete(page);
        this.pages.set(page, known);
      }
      if (!known || known.isStale) this.wanted.push(page);
    }
    this.fetchNext();
  }

  fetchNext() {
    while (this.fetching.size < AT_ONCE && this.wanted.length > 0 && !this.isClosed && this.id != null) {
      const page = this.wanted.shift();
      if (!this.fetching.has(page)) this.fetch(page);
    }
  }

  async fetch(page) {
    this.fetching.add(page);
    try {
      const { rows } = await get(this.path(`/rows?from=${page * PAGE}&count=${PAGE}`), this.closing.signal);
      if (this.isClosed) return;
      this.keep(page, rows);
      this.changed();
    } catch (error) {
      if (this.isClosed) return;
      if (error.code === "no-listing") await this.renew();
      else this.failed(error);
    } finally {
      this.fetching.delete(page);
      this.fetchNext();
    }
  }

  async renew() {
    unsubscribe(this);
    this.pages.clear();
    this.places.clear();
    try {
      await this.open();
      this.changed();
    } catch (error) {
      this.failed(error);
    }
  }

  keep(page, rows) {
    this.pages.delete(page);
    this.pages.set(page, { rows, isStale: false });
    rows.forEach((row, index) => this.places.set(row.name, page * PAGE + index));
    if (this.pages.size <= PAGES) return;
    const [oldest, dropped] = this.pages.entries().next().value;
    this.pages.delete(oldest);
    for (const row of dropped.rows) this.places.delete(row.name);
  }

  /** Has all rows be fetched again when they are looked at next: something else is known of them. */
  refresh() {
    for (const page of this.pages.values()) page.isStale = true;
    this.changed();
  }

  /** A row by its place, fetched if need be. */
  async fetched(place) {
    if (!this.row(place)) await this.fetch(Math.floor(place / PAGE));
    return this.row(place);
  }

  /** The place of a row, or null where it is not listed. */
  async place(name) {
    if (this.places.has(name)) return this.places.get(name);
    // Connections are no rows.
    if (this.id == null || name.startsWith("k")) return null;
    return (await get(this.path(`/place?row=${encodeURIComponent(name)}`), this.closing.signal)).place;
  }

  /** Has the server drop it. */
  close() {
    this.isClosed = true;
    this.closing.abort();
    if (this.id == null) return;
    unsubscribe(this);
    this.drop();
  }

  drop() {
    remove(this.path()).catch(() => {/* It is dropped by itself after some minutes. */});
  }
}
