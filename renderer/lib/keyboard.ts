// When a key that is pressed is no command of the console: while one types, and while something lies over the page.

/** Whether the key is a part of what is typed. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * Whether a dialog or a menu is open, which is answered or closed before one goes elsewhere: it may show what is never
 * seen again. A record that is open is a screen of its own, though it lies over its list as a dialog does.
 */
export function isInDialog(): boolean {
  return document.querySelector(':is([role=dialog], [role=menu]):not([data-screen] *)') !== null;
}
