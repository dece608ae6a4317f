// Text from outside, such as an id, a label or an error of the upstream. It cannot change the text beside it.

import { balanced } from '../locales/bidi.ts';

export function ForeignText({ children }: { readonly children: string }) {
  return <bdi>{balanced(children)}</bdi>;
}
