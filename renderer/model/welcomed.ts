// A gateway that has no record yet leads to the first run by itself, once for each window: whoever left it can come back to it.

const NAME = 'counterfoil.welcomed';

export function wasFirstRunOffered(): boolean {
  return sessionStorage.getItem(NAME) !== null;
}

export function noteFirstRunOffered(): void {
  sessionStorage.setItem(NAME, 'yes');
}
