/// The style sheet and the script of the page of a report.
enum ReportStyle {
    /// The style sheet; light and dark as the reader's system is.
    static let css = """
        :root { color-scheme: light dark;
          --paper: #fbfaf8; --card: #ffffff; --ink: #1d2129; --soft: #5d6675; --line: #e3e1dc;
          --code: #f3f1ec; --accent: #2f5d8a; --passed: #2c7a4b; --failed: #b3261e;
          --missing: #8a6414; --passed-paper: #e6f3ea; --failed-paper: #fbe9e7;
          --missing-paper: #f8efd9; }
        @media (prefers-color-scheme: dark) { :root {
          --paper: #14171c; --card: #1b1f26; --ink: #e4e7ec; --soft: #98a2b3; --line: #2d333d;
          --code: #11141a; --accent: #8ab4e0; --passed: #6fcf97; --failed: #ff8a80;
          --missing: #e5bd68; --passed-paper: #17301f; --failed-paper: #3a1c1b;
          --missing-paper: #33290f; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
        main { max-width: 66rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
        h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
        h2 { font-size: 1.05rem; margin: 2.4rem 0 .7rem; }
        p { margin: .35rem 0; }
        .soft { color: var(--soft); }
        .meta { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; color: var(--soft);
          font-size: .9rem; }
        .verdict { margin: 1.6rem 0 1rem; padding: 1.1rem 1.3rem; border-radius: 12px;
          font-size: 1.15rem; font-weight: 600; }
        .verdict.passed { background: var(--passed-paper); color: var(--passed); }
        .verdict.failed { background: var(--failed-paper); color: var(--failed); }
        .bar { display: flex; height: 10px; border-radius: 5px; overflow: hidden; gap: 2px; }
        .bar span { display: block; min-width: 3px; }
        .bar .passed { background: var(--passed); } .bar .failed { background: var(--failed); }
        .bar .missing { background: var(--missing); opacity: .75; }
        .tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem;
          padding: .9rem 0; background: var(--paper); }
        button, input { font: inherit; font-size: .9rem; color: inherit; background: var(--card);
          border: 1px solid var(--line); border-radius: 999px; padding: .3rem .9rem; }
        button { cursor: pointer; } input { flex: 1; min-width: 12rem; }
        button[aria-pressed=true] { border-color: var(--accent); color: var(--accent);
          box-shadow: inset 0 0 0 1px var(--accent); }
        button:focus-visible, input:focus-visible, summary:focus-visible {
          outline: 2px solid var(--accent); outline-offset: 1px; }
        details { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
          margin: .4rem 0; }
        summary { display: grid; grid-template-columns: 7.6rem 1fr auto; gap: .15rem .8rem;
          align-items: baseline; padding: .55rem .9rem; cursor: pointer; list-style: none; }
        summary::-webkit-details-marker { display: none; }
        details[open] > summary { border-bottom: 1px solid var(--line); }
        details.fold { background: none; border-style: dashed; padding: 0 .6rem; }
        details.fold > summary { display: block; padding: .4rem .3rem; color: var(--soft); }
        .inside { padding: .8rem .9rem 1rem; }
        .badge { justify-self: start; border-radius: 999px; padding: .05rem .65rem;
          font-size: .78rem; font-weight: 600; white-space: nowrap; }
        .badge.passed { background: var(--passed-paper); color: var(--passed); }
        .badge.failed { background: var(--failed-paper); color: var(--failed); }
        .badge.missing { background: var(--missing-paper); color: var(--missing); }
        .id { font: .82rem ui-monospace, "SF Mono", Menlo, Consolas, monospace;
          color: var(--soft); overflow-wrap: anywhere; }
        .severity { font-size: .78rem; color: var(--soft); }
        .says { font-weight: 600; }
        dl { display: grid; grid-template-columns: 6.8rem 1fr; gap: .25rem .9rem;
          margin: .7rem 0 0; }
        dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
        .breach + .breach { margin-top: 1.2rem; padding-top: 1rem;
          border-top: 1px dashed var(--line); }
        ol { margin: .6rem 0; padding: 0; list-style: none; border-left: 2px solid var(--line); }
        li { padding: .25rem 0 .25rem .9rem; }
        li:last-child .what { color: var(--failed); font-weight: 600; }
        .steps .row { color: var(--soft); font-size: .85rem; margin-right: .6rem; }
        code { display: block; margin-top: .2rem; padding: .4rem .6rem; border-radius: 6px;
          background: var(--code); overflow-wrap: anywhere; white-space: pre-wrap;
          font: .8rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        a { color: var(--accent); }
        ul { margin: .3rem 0; padding-left: 1.1rem; }
        ul li { padding: .1rem 0; }
        [hidden] { display: none !important; }
        @media (max-width: 36rem) { summary { grid-template-columns: 1fr; } }
        @media print { .tools { display: none; } details { break-inside: avoid; } }
        """

    /// The script: buttons choose verdicts, and the field searches.
    static let script = """
        const cases = [...document.querySelectorAll('details[data-verdict]')];
        const groups = [...document.querySelectorAll('section[data-group]')];
        const folds = [...document.querySelectorAll('details[data-fold]')];
        const buttons = [...document.querySelectorAll('button[data-show]')];
        const field = document.querySelector('input');
        let shown = 'all';
        function apply() {
          const words = field.value.toLowerCase();
          for (const one of cases) {
            one.hidden = (shown !== 'all' && one.dataset.verdict !== shown)
              || !one.textContent.toLowerCase().includes(words);
          }
          for (const fold of folds) {
            const found = fold.querySelector('details[data-verdict]:not([hidden])');
            fold.hidden = !found && fold.querySelector('details[data-verdict]');
            if (found && (words || shown === 'passed')) { fold.open = true; }
          }
          for (const group of groups) {
            group.hidden = !group.querySelector('details[data-verdict]:not([hidden])');
          }
          for (const button of buttons) {
            button.setAttribute('aria-pressed', String(button.dataset.show === shown));
          }
        }
        for (const button of buttons) {
          button.addEventListener('click', () => { shown = button.dataset.show; apply(); });
        }
        field.addEventListener('input', apply);
        apply();
        """
}
