// The printed join card, with all that is needed to set up a till. It is not visible on the screen.

import { Portal } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { joinRequestKind, recordsUrl } from '../../server/contract/join-request.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { useNow } from '../lib/use-now.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Joining } from './joining.ts';
import { QrImage } from './qr-image.tsx';
import { type Language, LANGUAGE_NAMES } from './request-writers.ts';

import classes from './key-card.module.css';

/** `card` (A6) has room for the address, the key and the steps. `page` (A4) also has room for the request. */
export const PAPERS = ['card', 'page'] as const;
export type Paper = (typeof PAPERS)[number];

export function KeyCard({
  joining,
  paper,
  language,
  request,
  qr,
}: {
  readonly joining: Joining;
  readonly paper: Paper;
  readonly language: Language;
  readonly request: string;
  readonly qr: string;
}) {
  const { t } = useTranslation(['join', 'tills']);
  const formats = useStoreFormats();
  const now = useNow();
  const { administration, mode, till, key, secret, place } = joining;
  const { address, authority, isLocalOnly } = place;
  const url = recordsUrl(address, key.interface);
  return (
    <Portal reuseTargetNode={false}>
      <article className={`${classes.card} ${classes[paper]}`} aria-hidden>
        <header className={classes.head}>
          <strong className={classes.till}>
            <ForeignText>{till}</ForeignText>
          </strong>
          <span>
            {administration} · {t(`tills:${mode}`)}
          </span>
        </header>
        <div className={classes.top}>
          <dl className={classes.facts}>
            <dt>{t('tills:address')}</dt>
            <dd>{address}</dd>
            <dt>{t('tills:key')}</dt>
            {secret === null ? <dd className={classes.words}>{t('withoutKey')}</dd> : <dd>{secret}</dd>}
          </dl>
          <QrImage text={qr} label="" className={classes.qr} />
        </div>
        {isLocalOnly && <p>{t('onlyHere')}</p>}
        <ol className={classes.steps}>
          {authority === null ? (
            <>
              <li>
                <strong>{t('addressTitle')}</strong> {t('recordsTo', { url })}{' '}
                {address.startsWith('https:') && t('ownCertificate')}
              </li>
              <li>
                <strong>{t('keyTitle')}</strong>
              </li>
            </>
          ) : (
            <>
              <li>
                <strong>{t('trustTitle')}</strong> {t('trustDo')}
                <span className={classes.code}>{authority.from}/ca.pem</span>
                {t('fingerprint')}
                <span className={classes.code}>{inHalves(authority.fingerprint)}</span>
                {t('trustHow', { address: `${address}/trust` })}
                <br />
                {t('trustWarns')}
              </li>
              <li>
                <strong>{t('enterTitle')}</strong> {t('recordsTo', { url })}
              </li>
            </>
          )}
          <li>
            <strong>{t('tryTitle')}</strong> {paper === 'page' ? t(`try_${joinRequestKind(joining)}`) : t('tryAtCard')}
          </li>
        </ol>
        {paper === 'page' && (
          <>
            <h2 className={classes.requestTitle}>
              {t('tills:firstRequest')} · {LANGUAGE_NAMES[language]}
            </h2>
            <pre className={classes.request}>{request}</pre>
          </>
        )}
        <footer className={classes.foot}>
          {t('tills:cardDescribed', { address: `${address}/docs` })} · {formats.day(now)}
          <br />
          {secret !== null && t('tills:cardKeep', { till })}
        </footer>
      </article>
    </Portal>
  );
}

/** A fingerprint in two halves of sixteen pairs, one below the other. This makes it easier to compare, and no pair is split. */
function inHalves(fingerprint: string): string {
  return fingerprint.replace(/^(.{48})(?=.)/, '$1\n');
}
