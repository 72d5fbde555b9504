import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { type ReactNode, useContext } from 'react';
import { doingText } from '../text/doing.js';
import { Filled } from '../ui/filled.js';
import { Plain } from '../ui/plain.js';
import { adderId, FormContext, fieldId, useField } from './form-context.js';
import { memberOf, pointerOf } from './paths.js';
import { AmountField, ChoiceField, type FieldProps, JsonField, NumberField, TextField } from './plain-fields.js';
import { fits, initialOf, type Member, type ObjectShape, type Shape, type Variant } from './shape.js';

/** The field of one value, by its shape. A value that does not fit is written as JSON. */
export function ShapeField(props: FieldProps) {
  const { shape, value } = props;
  if (value !== undefined && shape.type !== 'json' && !fits(shape, value)) return <JsonField {...props} />;
  switch (shape.type) {
    case 'text':
      return <TextField {...props} />;
    case 'choice':
    case 'boolean':
      return <ChoiceField {...props} />;
    case 'number':
    case 'integer':
      return <NumberField {...props} />;
    case 'object':
      return (
        <Group {...props}>
          <ObjectFields shape={shape} value={value} path={props.path} />
        </Group>
      );
    case 'array':
      return (
        <Group {...props}>
          <Items {...props} items={shape.items} />
        </Group>
      );
    case 'variants':
      return <Variants {...props} variants={shape.variants} />;
    default:
      return <JsonField {...props} />;
  }
}

/** The members of an object. Those that are not needed, and have no simple field, are added when they are wanted. */
export function ObjectFields({ shape, value, path }: Pick<FieldProps, 'value' | 'path'> & { shape: ObjectShape }) {
  const { id, change, focusOnceShown } = useContext(FormContext);
  const add = (name: string, member: Shape) => {
    focusOnceShown(fieldId(id, pointerOf([...path, name])));
    change([...path, name], initialOf(member) ?? emptyOf(member));
  };
  const remove = (name: string) => {
    focusOnceShown(adderId(id, pointerOf([...path, name])));
    change([...path, name], undefined);
  };
  const isShown = (member: Member) =>
    member.isRequired || isSimple(member.shape) || memberOf(value, member.name) !== undefined;
  const symbol = symbolOf(value);
  return (
    <>
      {shape.members.filter(isShown).map((member) => {
        const field = {
          label: member.name,
          shape: member.shape,
          value: memberOf(value, member.name),
          path: [...path, member.name],
          isRequired: member.isRequired,
        };
        const isAmount = member.name === 'amount' && member.shape.type === 'integer' && symbol !== undefined;
        return (
          <div key={member.name} className="member">
            {isAmount ? <AmountField {...field} symbol={symbol} /> : <ShapeField {...field} />}
            {!member.isRequired && !isSimple(member.shape) && (
              <button type="button" className="link remove" onClick={() => remove(member.name)}>
                <Filled of={doingText.form.remove} names={[member.name]} />
              </button>
            )}
          </div>
        );
      })}
      <p className="buttons">
        {shape.members
          .filter((member) => !isShown(member))
          .map(({ name, shape: member }) => (
            <button
              key={name}
              type="button"
              id={adderId(id, pointerOf([...path, name]))}
              onClick={() => add(name, member)}
            >
              <Filled of={doingText.form.add} names={[name]} />
            </button>
          ))}
      </p>
    </>
  );
}

function Group({ label, path, shape, children }: FieldProps & { readonly children: ReactNode }) {
  const { id, wrong } = useField(path);
  return (
    <fieldset className="group" id={id} tabIndex={-1}>
      <legend>
        <Plain value={label} most={80} />
      </legend>
      {shape.about && (
        <p className="hint">
          <Plain value={shape.about} />
        </p>
      )}
      {wrong.length > 0 && (
        <p className="error">
          <Plain value={wrong.join('; ')} />
        </p>
      )}
      {children}
    </fieldset>
  );
}

function Items({ label, value, path, items }: FieldProps & { readonly items: Shape }) {
  const { id, change, focusOnceShown } = useContext(FormContext);
  const all: readonly Json[] = Array.isArray(value) ? value : [];
  const adder = adderId(id, pointerOf(path));
  const add = () => {
    focusOnceShown(fieldId(id, pointerOf([...path, all.length])));
    change(path, [...all, initialOf(items) ?? emptyOf(items)]);
  };
  const remove = (at: number) => {
    focusOnceShown(adder);
    change([...path, at], undefined);
  };
  return (
    <>
      {all.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is known by its place alone
        <div key={at} className="member">
          <ShapeField
            label={doingText.form.item(label, at)}
            shape={items}
            value={one}
            path={[...path, at]}
            isRequired={true}
          />
          <button type="button" className="link remove" onClick={() => remove(at)}>
            <Filled of={doingText.form.remove} names={[doingText.form.item(label, at)]} />
          </button>
        </div>
      ))}
      <p className="buttons">
        <button type="button" id={adder} onClick={add}>
          <Filled of={doingText.form.add} names={[label]} />
        </button>
      </p>
    </>
  );
}

interface VariantsProps extends FieldProps {
  readonly variants: readonly Variant[];
}

/** A value of one of several forms: which one, and its fields. */
function Variants({ variants, ...props }: VariantsProps) {
  const { id, change } = useContext(FormContext);
  const { value, path, label } = props;
  const found = variants.findIndex((one) => value !== undefined && fits(one.shape, value));
  const at = Math.max(0, found);
  const chosen = variants[at];
  if (chosen === undefined) return <JsonField {...props} />;
  const choose = (number: number) => {
    const next = variants[number]?.shape;
    if (next === undefined) return;
    const initial = initialOf(next) ?? emptyOf(next);
    change(path, isObject(initial) ? { ...keptOf(next, value), ...initial } : initial);
  };
  const other = variants[1 - at];
  if (variants.length === 2 && other && isSimple((variants[0] as Variant).shape)) {
    return (
      <>
        <ShapeField {...props} shape={chosen.shape} />
        <button type="button" className="link remove" onClick={() => choose(1 - at)}>
          <Filled of={doingText.form.writeAs} names={[label, other.name]} />
        </button>
      </>
    );
  }
  const name = `${fieldId(id, pointerOf(path))}?`;
  return (
    <>
      <div className="field">
        <label htmlFor={name}>
          <Filled of={doingText.form.kindOf} names={[label]} />
        </label>
        <select id={name} value={at} onChange={(event) => choose(Number(event.target.value))}>
          {variants.map((one, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: forms of a schema stay in their places
            <option key={number} value={number}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      <ShapeField {...props} shape={chosen.shape} />
    </>
  );
}

/** Members of a value that another form of it has as well. */
function keptOf(shape: Shape, value: Json | undefined): JsonObject {
  const names = shape.type === 'object' ? shape.members.map(({ name }) => name) : [];
  const kept = names.flatMap((name): [string, Json][] => {
    const own = memberOf(value, name);
    return own === undefined ? [] : [[name, own]];
  });
  return Object.fromEntries(kept);
}

/** Shown as long as it is empty. */
function isSimple(shape: Shape): boolean {
  const { type } = shape;
  if (type === 'variants') return shape.variants.length === 2 && isSimple((shape.variants[0] as Variant).shape);
  return type === 'text' || type === 'choice' || type === 'boolean' || type === 'number' || type === 'integer';
}

function emptyOf(shape: Shape): Json {
  switch (shape.type) {
    case 'array':
      return [];
    case 'object':
    case 'json':
      return {};
    case 'variants':
      return shape.variants[0] ? emptyOf(shape.variants[0].shape) : {};
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return shape.values[0] ?? '';
    default:
      return '';
  }
}

/** The symbol that an amount beside it counts in: a member `symbol`, by handle. */
function symbolOf(value: Json | undefined): string | undefined {
  const symbol = memberOf(value, 'symbol');
  const handle = typeof symbol === 'string' ? symbol : memberOf(symbol, 'handle');
  return typeof handle === 'string' && handle !== '' ? handle : undefined;
}
