// A switch for one setting of the network. Only managers can use it, and only if no start setting fixes the value.

import { Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { NetworkChangeRequest, NetworkSettings, NetworkView } from '../../server/contract/network.ts';
import { useNetworkChange } from '../api/act.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { fixedBySetting } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

interface Question {
  readonly title: string;
  readonly text: ReactNode;
  /** The label of the button that performs the act. */
  readonly act: string;
}

export function NetworkSwitch({
  view,
  member,
  isOn,
  label,
  isImpossible = false,
  askOn,
  askOff,
}: {
  readonly view: NetworkView;
  readonly member: Exclude<keyof NetworkSettings, 'interfaces'>;
  readonly isOn: boolean;
  readonly label: string;
  /** True if the setting cannot be switched on yet. The row says what is missing. */
  readonly isImpossible?: boolean;
  /** The questions before the switch is turned on or off. Without a question, the switch changes immediately. */
  readonly askOn?: Question | undefined;
  readonly askOff?: Question | undefined;
}) {
  const { t } = useTranslation('network');
  const isManager = useIsManager();
  const change = useNetworkChange();
  const [isAsking, setAsking] = useState(false);
  const reasonId = useId();
  const fixed = fixedBySetting(view, member);
  const question = isOn ? askOff : askOn;
  const reason = fixed && t('fixedHere', { setting: fixed });
  const close = (): void => {
    setAsking(false);
    change.reset();
  };
  const apply = (): void => {
    const wanted: NetworkChangeRequest = { [member]: !isOn };
    change.mutate(wanted, { onSuccess: () => setAsking(false) });
  };
  return (
    <Stack gap="xs">
      <Switch
        label={label}
        checked={isOn}
        disabled={!isManager || fixed !== undefined || (isImpossible && !isOn) || change.isPending}
        aria-describedby={reason === undefined ? undefined : reasonId}
        onChange={() => (question === undefined ? apply() : setAsking(true))}
        withThumbIndicator={false}
      />
      {reason !== undefined && (
        <Text size="xs" c="dimmed" id={reasonId}>
          {reason}
        </Text>
      )}
      {!isAsking && <ErrorAlert error={change.error} />}
      {isAsking && question !== undefined && (
        <Confirmation
          title={question.title}
          act={question.act}
          isPending={change.isPending}
          error={change.error}
          onDo={apply}
          onClose={close}
        >
          {question.text}
        </Confirmation>
      )}
    </Stack>
  );
}
