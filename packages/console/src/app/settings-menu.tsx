import { text } from '../text/en.js';
import { changeSettings, type Settings, useSettings } from '../ui/settings.js';

/** Theme and times. */
export function SettingsMenu() {
  const settings = useSettings();
  return (
    <details className="menu right">
      <summary aria-label={text.nav.settings} title={text.nav.settings}>
        <span aria-hidden="true">◐</span>
      </summary>
      <fieldset>
        <SettingChoice
          label={text.nav.theme}
          values={text.nav.themes}
          chosen={settings.theme}
          onChoose={(theme) => changeSettings({ theme })}
        />
        <SettingChoice
          label={text.nav.times}
          values={text.nav.timesAs}
          chosen={settings.times}
          onChoose={(times) => changeSettings({ times })}
        />
      </fieldset>
    </details>
  );
}

interface SettingChoiceProps<Value extends string> {
  readonly label: string;
  readonly values: Readonly<Record<Value, string>>;
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

function SettingChoice<Value extends Settings[keyof Settings]>({
  label,
  values,
  chosen,
  onChoose,
}: SettingChoiceProps<Value>) {
  return (
    <label>
      {label}{' '}
      <select value={chosen} onChange={(event) => onChoose(event.target.value as Value)}>
        {Object.entries<string>(values).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
