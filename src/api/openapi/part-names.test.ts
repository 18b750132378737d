import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from './components.ts';
import { nameParts } from './part-names.ts';

const status: JsonSchema = { type: 'string', enum: ['active', 'paused'] };
const thing = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

describe('nameParts', () => {
  test('names an enum after its place, and a shared one after the place with the shortest name', () => {
    const { schemas } = nameParts(
      {
        CreateParcel: thing({ status: { ...status, description: 'Status to have.' } }),
        Parcel: thing({ status: { ...status, description: 'Status.' } }),
      },
      [],
    );
    expect(schemas).toEqual({
      CreateParcel: thing({ status: { ...ref('ParcelStatus'), description: 'Status to have.' } }),
      Parcel: thing({ status: { ...ref('ParcelStatus'), description: 'Status.' } }),
      ParcelStatus: status,
    });
  });

  test("names a part shared with a resource after the resource, and an operation's own part after the operation", () => {
    const order: JsonSchema = { type: 'string', enum: ['up', 'down'] };
    const { schemas, referencing } = nameParts({ ParcelSummary: thing({ status }) }, [
      { name: 'ListStatus', schema: { type: 'array', items: status } },
      { name: 'ParcelsListOrder', schema: order },
    ]);
    expect(Object.keys(schemas)).toEqual(['ParcelSummary', 'ParcelSummaryStatus', 'ParcelsListOrder']);
    expect(referencing({ type: 'array', items: status })).toEqual({ type: 'array', items: ref('ParcelSummaryStatus') });
    expect(referencing(order)).toEqual(ref('ParcelsListOrder'));
  });

  test('names objects in lists, maps and other objects, and a nullable object', () => {
    const size = thing({ width: { type: 'integer' } });
    const { schemas } = nameParts(
      {
        Parcel: thing({
          stops: { type: 'array', items: thing({ size }) },
          boxes: { type: 'object', additionalProperties: size },
          label: { ...thing({ text: { type: 'string' } }), type: ['object', 'null'] },
        }),
      },
      [],
    );
    expect(schemas).toEqual({
      Parcel: thing({
        stops: { type: 'array', items: ref('ParcelStop') },
        boxes: { type: 'object', additionalProperties: ref('ParcelBox') },
        label: { anyOf: [ref('ParcelLabel'), { type: 'null' }] },
      }),
      ParcelStop: thing({ size: ref('ParcelBox') }),
      ParcelBox: size,
      ParcelLabel: thing({ text: { type: 'string' } }),
    });
  });

  test('distinguishes the objects of a union by their constant, or by their number', () => {
    const preview = thing({ status: { type: 'string', const: 'preview' } });
    const other = thing({ count: { type: 'integer' } });
    const { schemas } = nameParts({ Asked: thing({ result: { anyOf: [preview, other] } }) }, []);
    expect(Object.keys(schemas)).toEqual(['Asked', 'AskedResultPreview', 'AskedResultOption2']);
  });

  test('uses another name if one differs only in case, and throws if none is left', () => {
    const { schemas } = nameParts(
      { ViewPAGE: thing({}), View: thing({ page: status }), MakeView: thing({ page: status }) },
      [],
    );
    expect(Object.keys(schemas)).toContain('MakeViewPage');
    expect(() => nameParts({ ViewPAGE: thing({}), View: thing({ page: status }) }, [])).toThrow(
      'Two schemas would be called ViewPage: choose a name for one in src/api/openapi/part-names.ts',
    );
  });

  test('leaves conditions unchanged', () => {
    const schema = { ...thing({}), if: { type: 'null' }, else: { oneOf: [thing({ status })] } };
    expect(nameParts({ Parcel: schema }, []).schemas).toEqual({ Parcel: schema });
  });
});
