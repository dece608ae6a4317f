// Finds out when a key press must not act as a shortcut: while the user types, and while a dialog or a menu is open.

/** True if `target` is an input field, so the key press types a character. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * True if a dialog or a menu is open. A shortcut must not close a dialog, because it may show a secret that is shown only once.
 * An open record has the ARIA role `dialog` but does not count.
 */
export function isInDialog(): boolean {
  return document.querySelector(':is([role=dialog], [role=menu]):not([data-screen] *)') !== null;
}
