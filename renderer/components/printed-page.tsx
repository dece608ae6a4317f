// A page that exists only on paper: A4, black on white in every colour scheme, without the rest of the console.

import { Portal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useStoreFormats } from '../model/selected-journal.ts';

import classes from './printed-page.module.css';

export function PrintedPage({
  className,
  title,
  facts,
  children,
  printedAt,
  number,
}: {
  readonly className: string | undefined;
  readonly title: ReactNode;
  /** Facts below the title, such as the store and its mode. */
  readonly facts: ReactNode;
  readonly children: ReactNode;
  readonly printedAt: number;
  /** The text at the foot that identifies the page, such as the number of a report. */
  readonly number?: string;
}) {
  const { t } = useTranslation('printedPage');
  const formats = useStoreFormats();
  return (
    <Portal reuseTargetNode={false}>
      <article className={`${classes.page} ${className ?? ''}`} aria-hidden>
        <header className={classes.head}>
          <strong className={classes.title}>{title}</strong>
          {facts}
        </header>
        {children}
        <footer className={classes.foot}>
          <div className={classes.lines}>
            <span>{t('name')}</span>
            <span>{t('date')}</span>
            <span>{t('signature')}</span>
          </div>
          <span>
            {number !== undefined && `${number} · `}
            {t('printed', { time: formats.exact(printedAt) })} · Counterfoil
          </span>
        </footer>
      </article>
    </Portal>
  );
}
