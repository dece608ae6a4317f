// The records behind a verdict, grouped by problem.

import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { type DayView, type Finding, FINDING_KINDS } from '../../server/contract/days.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { DeliveryMark } from '../components/record-marks.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { countFindings, findingTitle } from './finding-count.ts';
import { Section } from './section.tsx';
import { ShortList } from './short-list.tsx';

import classes from './days.module.css';

export function Findings({ view }: { readonly view: DayView }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const byKind = Map.groupBy(view.findings, ({ kind }) => kind);
  return FINDING_KINDS.map((kind) => {
    const findings = byKind.get(kind);
    if (findings === undefined) return null;
    const total = countFindings(view, kind);
    const name = t(findingTitle(view.day, kind));
    return (
      <Section key={kind} name={name} title={`${name}: ${formats.number(total)}`}>
        <ShortList label={name} items={findings} total={total} keyOf={({ externalId }) => externalId}>
          {(finding) => <Found finding={finding} />}
        </ShortList>
      </Section>
    );
  });
}

function Found({ finding: { kind, externalId, type, soldAt, record } }: { readonly finding: Finding }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const about = (
    <Text span size="sm" c="dimmed" title={formats.exact(soldAt * 1000)}>
      {t('soldAt', { time: formats.time(soldAt * 1000) })} · <ForeignText>{type}</ForeignText>
      {record !== null && (
        <>
          {' · '}
          <ForeignText>{record.till}</ForeignText>
        </>
      )}
    </Text>
  );
  if (record === null)
    return (
      <>
        <span className={classes.id}>
          <ForeignText>{externalId}</ForeignText>
        </span>
        <CopyButton value={externalId} what={t('id')} />
        {about}
      </>
    );
  return (
    <>
      <Link
        to="/records/$recordId"
        params={{ recordId: String(record.recordId) }}
        state={{ isFromList: true }}
        className={`${classes.id} ${classes.link}`}
      >
        <ForeignText>{externalId}</ForeignText>
      </Link>
      {about}
      {kind === 'missing upstream' && record.delivery === 'delivered' ? (
        <Text span size="sm">
          {t('wasTaken')}
        </Text>
      ) : (
        record.delivery !== null && (
          <DeliveryMark delivery={{ state: record.delivery, upstreamStatus: null }} isInList />
        )
      )}
    </>
  );
}
