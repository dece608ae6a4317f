// An error as a sentence, with its code in small print.

import { Alert, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import { Problem } from '../api/client.ts';
import { errorSentence, isWithinField } from './field-error.ts';

/** Shows an error. Shows nothing if there is no error, or if the form already shows the error beside a field. */
export function ErrorAlert({
  error,
  fields = [],
}: {
  readonly error: Error | null;
  readonly fields?: readonly string[];
}) {
  const { t } = useTranslation('app');
  if (error === null) return null;
  if (!(error instanceof Problem)) return <Alert color="red">{t('failed')}</Alert>;
  const named = Object.keys(error.fields);
  if (named.length > 0 && named.every((name) => fields.some((field) => isWithinField(name, field)))) return null;
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert size={16} aria-hidden />} p="sm">
      {error.message}{' '}
      <Text span size="xs" c="dimmed">
        {error.code}
      </Text>
    </Alert>
  );
}

/** The error text of a field, or of a part of the field. */
export function fieldErrorOf(error: Error | null, field: string): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  const [path, detail] = Object.entries(error.fields).find(([each]) => isWithinField(each, field)) ?? [];
  return path === undefined || detail === undefined ? undefined : errorSentence(path, detail);
}
