/** The views of the page: of each its name in the address, its title, the key after `g`, and what shows it. */

import { CompareView } from "./compare-view.js";
import { FaultsView } from "./faults-view.js";
import { FindingsView } from "./findings-view.js";
import { HeldView } from "./held-view.js";
import { ListView } from "./list-view.js";
import { ReplayView } from "./replay-view.js";
import { SetupView } from "./setup-view.js";
import { ShareView } from "./share-view.js";
import { StateView } from "./state-view.js";
import { TimelineView } from "./timeline-view.js";

export const views = [
  { name: "list", title: "List", key: "l", View: ListView },
  { name: "timeline", title: "Timeline", key: "t", View: TimelineView },
  { name: "state", title: "State", key: "s", View: StateView },
  { name: "findings", title: "Findings", key: "f", View: FindingsView },
  { name: "faults", title: "Faults", key: "r", View: FaultsView },
  { name: "held", title: "Held", key: "h", View: HeldView },
  { name: "compare", title: "Compare", key: "c", View: CompareView },
  { name: "replay", title: "Replay", key: "p", View: ReplayView },
  { name: "setup", title: "Set up", key: "u", View: SetupView },
  { name: "share", title: "Share", key: "x", View: ShareView },
];
