// A record in the list: one row of text, or two in a narrow window. The id is a link, and the whole row is clickable.

import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { RecordSummary } from '../../server/contract/records.ts';
import { AmountText } from '../components/amount-text.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { DeliveryMark, StatusMark } from '../components/record-marks.tsx';
import type { Formats } from '../locales/format.ts';

import classes from './records.module.css';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * True if the record was opened from a list of records, held records or acts. The browser's "back" then leads to that list.
     */
    isFromList?: boolean;
  }
}

/** Ids mostly differ at their ends, so a cut id keeps its end. */
const TAIL_LENGTH = 8;
const MIN_CUT_LENGTH = 18;

export const RecordRow = memo(function RecordRow({
  row,
  index,
  top,
  isOpen,
  isActive,
  isNew,
  onActive,
  formats,
}: {
  readonly row: RecordSummary;
  readonly index: number;
  /**
   * Distance from the first row in pixels. A style object would be new at each render; a number lets React skip rows that did
   * not move.
   */
  readonly top: number;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isNew: boolean;
  readonly onActive: (index: number) => void;
  readonly formats: Formats;
}) {
  const { t } = useTranslation('records');
  const [isPointedAt, setPointedAt] = useState(false);
  const soldAt = row.soldAt * 1000;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`${classes.row} ${isNew ? 'row-new' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      data-index={index}
      data-open={isOpen || undefined}
      onPointerEnter={({ pointerType }) => setPointedAt(pointerType === 'mouse')}
      onPointerLeave={() => setPointedAt(false)}
    >
      <span role="cell" className={classes.soldAt} title={formats.exact(soldAt)}>
        <span>{formats.timeToSecond(soldAt)}</span>
        {row.clock !== undefined && (
          <Text
            component="span"
            size="xs"
            fw={600}
            c="var(--cf-differs)"
            title={t('arrived', { time: formats.exact(row.receivedAt) })}
          >
            {t(row.clock)}
          </Text>
        )}
      </span>
      <span role="cell" className={classes.idCell}>
        <Link
          to="/records/$recordId"
          params={{ recordId: String(row.recordId) }}
          search={(before) => before}
          state={{ isFromList: true }}
          className={classes.id}
          title={row.externalId}
          aria-label={row.externalId}
          tabIndex={isActive ? 0 : -1}
          onFocus={() => onActive(index)}
        >
          {row.externalId.length <= MIN_CUT_LENGTH ? (
            <ForeignText>{row.externalId}</ForeignText>
          ) : (
            <>
              <span>
                <ForeignText>{row.externalId.slice(0, -TAIL_LENGTH)}</ForeignText>
              </span>
              <span>
                <ForeignText>{row.externalId.slice(-TAIL_LENGTH)}</ForeignText>
              </span>
            </>
          )}
        </Link>
        {isPointedAt && (
          <span className={classes.copy}>
            <CopyButton value={row.externalId} what={row.externalId} size={28} isReachable={false} />
          </span>
        )}
      </span>
      <span role="cell" className={classes.type} title={row.type}>
        <ForeignText>{row.type}</ForeignText>
      </span>
      <span role="cell" className={classes.till} title={row.till}>
        <ForeignText>{row.till}</ForeignText>
      </span>
      <span role="cell" className={classes.amount}>
        <AmountText amount={row.amount} />
      </span>
      <span role="cell" className={classes.status}>
        <StatusMark status={row.status} isInList />
      </span>
      <span role="cell" className={classes.delivery}>
        <DeliveryMark delivery={row.delivery} isInList />
      </span>
    </div>
  );
});

export function PlaceholderRow({ top }: { readonly top: number }) {
  return (
    <div className={classes.row} style={{ transform: `translateY(${top}px)` }} aria-hidden>
      <span className={classes.soldAt}>
        <span className={classes.toCome} />
      </span>
      <span className={classes.idCell}>
        <span className={classes.toCome} />
      </span>
    </div>
  );
}
