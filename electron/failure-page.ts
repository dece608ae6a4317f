// The page in the window while the gateway cannot start: what is wrong, what is safe, what to do. It is plain HTML without
// scripts. Its buttons are forms. When the user presses a button, the window cancels the navigation and handles the press
// itself.

import type { StartFault } from '../server/contract/desktop.ts';
import type { Failure } from './failure.ts';
import { say, timeOrDate, type Words } from './words.ts';

export const FAILURE_ACTS = ['try-again', 'open-data', 'open-logs', 'save-diagnostics', 'quit'] as const;
export type FailureAct = (typeof FAILURE_ACTS)[number];

const SCHEME = 'counterfoil:';

/** Returns the button of the failure page whose form has this address. Undefined if no button has it. */
export function failureActOf(url: string): FailureAct | undefined {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== SCHEME) return undefined;
  return FAILURE_ACTS.find((act) => act === parsed.pathname);
}

/** Returns the failure page as an address that the window can load. `now` is in epoch milliseconds. */
export function failurePage(
  { fault, message, since, triedAt }: Failure,
  now: number,
  words: Words,
  locale: string,
): string {
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const { title, todo } = words.faults[fault];
  const labels: Record<FailureAct, string> = {
    'try-again': words.tryAgain,
    'open-data': words.openData,
    'open-logs': words.openLogs,
    'save-diagnostics': words.saveDiagnostics,
    quit: words.quit,
  };
  const buttons = FAILURE_ACTS.map(
    (act) => `<form action="${SCHEME}${act}"><button>${escape(labels[act])}</button></form>`,
  );
  const tried = triedAt === undefined ? '' : `${say(words.triedInVain, { time: time.format(triedAt) })} `;
  const html = `<!doctype html>
<html lang="${words.lang}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Counterfoil</title>
<style>${STYLE}</style>
<main>
<p class="state">${escape(say(words.notTaking, { time: timeOrDate(since, now, locale) }))}</p>
<h1>${escape(title)}</h1>
<p>${escape(todo)}</p>
<p>${escape(UNTOUCHED.has(fault) ? words.dataUntouched : words.salesSafe)}</p>
<div class="buttons">${buttons.join('')}</div>
<p class="small">${escape(tried + words.triesAgain)}</p>
${message === '' ? '' : `<details open><summary>${escape(words.forSupport)}</summary><pre>${escape(message)}</pre></details>`}
</main>
</html>`;
  return `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`;
}

/**
 * After these faults, the stored sales may be unreadable. So the page says only that the data is untouched, and does not say
 * that sales are safe.
 */
const UNTOUCHED: ReadonlySet<StartFault> = new Set(['data_damaged', 'data_foreign', 'data_unwritable', 'other']);

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root { font: 14px/1.5 system-ui, sans-serif; color: #1f2933; background: #fff; --accent: #0d9488; --line: #d5dbe1; --bad: #b91c1c; --soft: #5f6c7b; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; }
main { max-width: 560px; padding: 32px 24px; }
h1 { font-size: 26px; line-height: 1.25; margin: 4px 0 12px; }
.state { color: var(--bad); font-weight: 600; margin: 0; }
.state::before { content: "\\2715\\00a0"; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 24px 0 16px; }
form { margin: 0; }
button { font: inherit; padding: 6px 14px; border: 1px solid var(--line); border-radius: 6px; background: none; color: inherit; }
form:first-child button { background: #0f766e; border-color: transparent; color: #fff; }
button:hover { filter: brightness(0.94); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.small, summary { color: var(--soft); font-size: 13px; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace; background: #f4f6f8; border-radius: 6px; padding: 10px 12px; margin: 8px 0 0; max-height: 30vh; overflow: auto; }
@media (prefers-color-scheme: dark) {
  :root { color: #e4e7eb; background: #17191c; --line: #3a4149; --bad: #f87171; --soft: #9aa5b1; }
  pre { background: #22262a; }
  button:hover { filter: brightness(1.2); }
}`;
