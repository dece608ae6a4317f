// Finds out whether a key press must not act as a shortcut: the user types, or a dialog or menu is open.

/** Whether the key press is text input. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * Whether a dialog or a menu is open. A shortcut must not close it, because it may show a secret that is shown only once. An
 * open record also has the role of a dialog, but counts as a screen here.
 */
export function isInDialog(): boolean {
  return document.querySelector(':is([role=dialog], [role=menu]):not([data-screen] *)') !== null;
}
