// Settings under a title. Each row has the setting's name, its effect, who is affected, and the control.

import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

import classes from './setting-row.module.css';

export interface Setting {
  readonly id: string;
  readonly title: string;
  /** The effect of the setting, and who is affected. */
  readonly help: string;
  /** More words that the search matches. */
  readonly alsoCalled?: string;
  readonly control: ReactNode;
}

export function SettingSection({
  title,
  above,
  settings,
}: {
  readonly title: string;
  readonly above?: ReactNode;
  readonly settings: readonly Setting[];
}) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h4" mb="xs">
        {title}
      </Title>
      {above}
      {settings.map((setting) => (
        <SettingRow key={setting.id} setting={setting} />
      ))}
    </section>
  );
}

function SettingRow({ setting: { id, title, help, control } }: { readonly setting: Setting }) {
  return (
    <div className={classes.row} role="group" aria-labelledby={`setting-${id}`}>
      <div className={classes.about}>
        <Text fw={600} id={`setting-${id}`}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      </div>
      <div className={classes.control}>{control}</div>
    </div>
  );
}
