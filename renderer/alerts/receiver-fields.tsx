// The fields for the settings of a receiver: its name, language and time zone, and when to send what. The dialogs for a new
// and a changed receiver share them.

import { Group, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ALERT_CHOICES, type ReceiverSettings } from '../../server/contract/alerts.ts';
import { MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import { TASK_LANGUAGES } from '../../server/contract/task-words.ts';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { TimeZoneSelect } from '../components/time-zone-select.tsx';
import { clockOfMinutes, DAY_STARTS } from '../lib/time-of-day.ts';
import { languageName } from '../locales/words.ts';

/** The request fields whose errors are shown beside the inputs. */
export const SETTING_FIELDS = ['name', 'timeZone', 'quiet'];

/** The settings in a form. Undefined is an empty field. */
interface Draft extends Omit<ReceiverSettings, 'quiet'> {
  readonly quietFrom: number | undefined;
  readonly quietTo: number | undefined;
}

export interface SettingsForm {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
  readonly isQuietHalf: boolean;
  /** Returns the settings. Undefined if the form shows a fault instead. */
  readonly read: () => ReceiverSettings | undefined;
}

export function useSettingsForm({ quiet, ...before }: ReceiverSettings): SettingsForm {
  const [draft, setDraft] = useState<Draft>({ ...before, quietFrom: quiet?.from, quietTo: quiet?.to });
  const [isQuietHalf, setQuietHalf] = useState(false);
  return {
    draft,
    change(more) {
      setDraft({ ...draft, ...more });
      setQuietHalf(false);
    },
    isQuietHalf,
    read() {
      const { quietFrom: from, quietTo: to, name, language, timeZone, choice, digestAt } = draft;
      const isHalf = (from === undefined) !== (to === undefined);
      setQuietHalf(isHalf);
      if (isHalf) return undefined;
      const hours = from === undefined || to === undefined ? null : { from, to };
      return { name: name.trim(), language, timeZone, choice, quiet: hours, digestAt };
    },
  };
}

/** The children are the fields between the name and the other settings. */
export function SettingFields({
  form: { draft, change, isQuietHalf },
  error,
  children,
}: {
  readonly form: SettingsForm;
  /** The error of the last request. */
  readonly error: Error | null;
  readonly children?: ReactNode;
}) {
  const { t } = useTranslation('alerts');
  const { name, language, timeZone, choice, quietFrom, quietTo, digestAt } = draft;
  return (
    <>
      <TextInput
        label={t('name')}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        error={fieldErrorOf(error, 'name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
        data-autofocus
      />
      {children}
      <Select
        label={t('tell')}
        data={ALERT_CHOICES.map((each) => ({ value: each, label: t(`choice_${each}`) }))}
        value={choice}
        onChange={(value) => change({ choice: ALERT_CHOICES.find((each) => each === value) ?? choice })}
        allowDeselect={false}
      />
      <Group grow align="flex-start">
        <TimeSelect
          label={t('quietStart')}
          value={quietFrom}
          onChange={(from) => change({ quietFrom: from })}
          error={isQuietHalf ? t('quietHalf') : fieldErrorOf(error, 'quiet')}
        />
        <TimeSelect label={t('quietEnd')} value={quietTo} onChange={(to) => change({ quietTo: to })} />
      </Group>
      <TimeSelect
        label={t('digest')}
        description={t('digestHelp')}
        value={digestAt ?? undefined}
        onChange={(at) => change({ digestAt: at ?? null })}
      />
      <Group grow align="flex-start">
        <Select
          label={t('language')}
          data={TASK_LANGUAGES.map((each) => ({ value: each, label: languageName(each) }))}
          value={language}
          onChange={(value) => change({ language: TASK_LANGUAGES.find((each) => each === value) ?? language })}
          allowDeselect={false}
        />
        <TimeZoneSelect
          label={t('timeZone')}
          value={timeZone}
          onChange={(zone) => change({ timeZone: zone })}
          error={fieldErrorOf(error, 'timeZone')}
        />
      </Group>
    </>
  );
}

function TimeSelect({
  value,
  onChange,
  ...look
}: {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  /** Minutes after midnight. */
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}) {
  // The command line can set a time between two quarter hours.
  const isListed = value === undefined || DAY_STARTS.some((each) => each.value === String(value));
  const own = isListed ? [] : [{ value: String(value), label: clockOfMinutes(value) }];
  return (
    <Select
      {...look}
      data={[...own, ...DAY_STARTS]}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(chosen === null ? undefined : Number(chosen))}
      clearable
      searchable
    />
  );
}
