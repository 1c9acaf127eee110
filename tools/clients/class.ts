// A client of swagger-typescript-api. It is type-checked and never run.
import { Api } from "./build/api";

const api = new Api({ baseUrl: "https://api.example", baseApiParams: { headers: { ACCOUNT_ID: "1" }, format: "json" } });

export async function enter(): Promise<number | undefined> {
  const { data } = await api.people.createPerson({ person: { name: "Moinho", customer: false } });
  return data.person.id;
}

export async function read(entity: number): Promise<void> {
  const { data: sales } = await api.entities.listSales(entity, { per_page: 50 });
  for (const { sale } of sales) console.log(sale.id, sale.total_amount);
}
