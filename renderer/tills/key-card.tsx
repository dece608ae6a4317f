// The printed card of a new key, with all that is needed to set up a till. It is not visible on the screen.

import { Portal } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Mode } from '../../server/contract/codes.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { useNow } from '../lib/use-now.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

import classes from './key-card.module.css';

export function KeyCard({
  administration,
  mode,
  till,
  apiUrl,
  secret,
  request,
}: {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly apiUrl: string;
  readonly secret: string;
  readonly request: string;
}) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const now = useNow();
  return (
    <Portal reuseTargetNode={false}>
      <article className={classes.card} aria-hidden>
        <header className={classes.head}>
          <strong className={classes.till}>
            <ForeignText>{till}</ForeignText>
          </strong>
          <span>
            {administration} · {t(mode)}
          </span>
        </header>
        <dl className={classes.facts}>
          <dt>{t('address')}</dt>
          <dd>{apiUrl}</dd>
          <dt>{t('key')}</dt>
          <dd>{secret}</dd>
          <dt>{t('firstRequest')}</dt>
          <dd className={classes.request}>{request}</dd>
        </dl>
        <footer className={classes.foot}>
          {t('cardDescribed', { address: `${apiUrl}/docs` })} {t('cardKeep', { till })} {formats.day(now)}
        </footer>
      </article>
    </Portal>
  );
}
