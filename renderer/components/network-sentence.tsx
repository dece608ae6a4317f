// Who can connect, and at which address, in one sentence.

import { useTranslation } from 'react-i18next';

import type { NetworkView } from '../../server/contract/network.ts';
import { headlineOf } from '../model/network-state.ts';

export function NetworkSentence({ view }: { readonly view: NetworkView }) {
  const { t } = useTranslation('network');
  const headline = headlineOf(view);
  return 'address' in headline ? t(headline.kind, { address: headline.address }) : t(headline.kind);
}
