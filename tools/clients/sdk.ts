// A client of Hey API. It is type-checked and never run.
import { createPerson, listSales, showEntity } from "./build/sdk";

export async function enter(): Promise<number | undefined> {
  const { data } = await createPerson({ body: { person: { name: "Moinho", customer: false } }, headers: { ACCOUNT_ID: 1 } });
  return data && "person" in data ? data.person.id : undefined;
}

export async function read(entity: number): Promise<void> {
  const { data: one } = await showEntity({ path: { entity_id: entity } });
  const { data: sales } = await listSales({ path: { entity_id: entity }, query: { per_page: 50, search: { document_equals: "NF 1" } } });
  console.log(one, sales);
}
