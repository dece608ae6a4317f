// An empty gateway opens the first run automatically, once per window. Someone who leaves it can come back later.

const STORAGE_NAME = 'counterfoil.welcomed';

export function wasFirstRunOffered(): boolean {
  return sessionStorage.getItem(STORAGE_NAME) !== null;
}

export function noteFirstRunOffered(): void {
  sessionStorage.setItem(STORAGE_NAME, 'yes');
}
