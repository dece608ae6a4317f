// Text from outside, such as an id, a label or an upstream's error. It is isolated, so it cannot reorder the text around it.

import { balanced } from '../locales/bidi.ts';

export function ForeignText({ children }: { readonly children: string }) {
  return <bdi>{balanced(children)}</bdi>;
}
