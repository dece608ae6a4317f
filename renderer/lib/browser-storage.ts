// Stores values in the browser, for this origin or for this tab. If the browser refuses or its storage is full, nothing is
// stored and nothing throws.

export function readStored(name: string): string | null {
  return attempt(() => localStorage.getItem(name)) ?? null;
}

export function listStored(): readonly (readonly [name: string, value: string])[] {
  return attempt(() => Object.entries(localStorage)) ?? [];
}

/** Stores a value. Returns false if the value could not be stored. */
export function keepStored(name: string, value: string): boolean {
  return (
    attempt(() => {
      localStorage.setItem(name, value);
      return true;
    }) ?? false
  );
}

export function removeStored(name: string): void {
  attempt(() => localStorage.removeItem(name));
}

export function readTabStored(name: string): string | null {
  return attempt(() => sessionStorage.getItem(name)) ?? null;
}

export function keepTabStored(name: string, value: string): void {
  attempt(() => sessionStorage.setItem(name, value));
}

export function removeTabStored(name: string): void {
  attempt(() => sessionStorage.removeItem(name));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
