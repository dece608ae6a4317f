// A question of the first run.

import { Button, Group, Stack, Text } from '@mantine/core';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { FocusedTitle } from '../components/focused-title.tsx';
import { ManagerButton } from '../components/manager-button.tsx';

/** The position of a question among all questions, and the act that returns to the previous question. */
export interface Place {
  readonly n: number;
  readonly of: number;
  readonly onBack: (() => void) | undefined;
}

export function Question({
  place: { n, of, onBack },
  title,
  children,
}: {
  readonly place: Place;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('welcome');
  return (
    <Stack gap="md">
      <div>
        <Group gap="xs" mih={30}>
          {onBack !== undefined && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              ml={-8}
              leftSection={<ArrowLeft size={14} aria-hidden />}
              onClick={onBack}
            >
              {t('back')}
            </Button>
          )}
          <Text size="sm" c="dimmed" fw={600}>
            {t('step', { n, of })}
          </Text>
        </Group>
        <FocusedTitle order={2} size={28} fw={600} lh={1.25}>
          {title}
        </FocusedTitle>
      </div>
      {children}
    </Stack>
  );
}

/** The buttons below a question. */
export function Answers({
  word,
  isPending,
  skipWord,
  onSkip,
}: {
  /** The label of the button that submits the form. */
  readonly word: string;
  readonly isPending: boolean;
  /** The text of the skip button, if it does more than skip the question. */
  readonly skipWord?: string;
  /** Called to skip the question. Undefined if the user cannot skip it: the answers are known and only need a confirmation. */
  readonly onSkip?: () => void;
}) {
  const { t } = useTranslation('welcome');
  return (
    <Group gap="xs">
      <ManagerButton type="submit" loading={isPending}>
        {word}
      </ManagerButton>
      {onSkip !== undefined && (
        <Button variant="default" onClick={onSkip}>
          {skipWord ?? t('skip')}
        </Button>
      )}
    </Group>
  );
}
