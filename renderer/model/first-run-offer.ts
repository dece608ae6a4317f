// An empty gateway opens the first run automatically, once per window. Someone who leaves it can come back later.

const NAME = 'counterfoil.welcomed';

export function wasFirstRunOffered(): boolean {
  return sessionStorage.getItem(NAME) !== null;
}

export function noteFirstRunOffered(): void {
  sessionStorage.setItem(NAME, 'yes');
}
