// When a key press is not a shortcut: during typing, or while a dialog or menu is open.

/** Whether the key press is text input. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * Whether a dialog or a menu is open. The user must close it first, because it may show a secret only once. An open record
 * is a dialog too, but counts as a screen.
 */
export function isInDialog(): boolean {
  return document.querySelector(':is([role=dialog], [role=menu]):not([data-screen] *)') !== null;
}
