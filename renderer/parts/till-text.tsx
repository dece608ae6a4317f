// Text that a till, an upstream or a file sent, such as an id or a type: it turns nothing around but itself.

import { balanced } from '../words/bidi.ts';

export function TillText({ children }: { readonly children: string }) {
  return <bdi>{balanced(children)}</bdi>;
}
