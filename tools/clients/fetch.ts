// A client of openapi-fetch, for JSON. It is type-checked and never run.
import createClient from "openapi-fetch";
import type { components, paths } from "./build/schema";

const api = createClient<paths, "application/json">({
  baseUrl: "https://api.example.com",
  headers: { Authorization: "Bearer token", ACCOUNT_ID: "1" },
});

export async function people(): Promise<string[]> {
  const { data, error } = await api.GET("/people", { params: { query: { page: 1, search: { name_equals: "Moinho" } } } });
  if (error) throw new Error(JSON.stringify(error));
  return data.map((item) => item.person.name);
}

export async function pay(entity: number, account: number): Promise<string | null> {
  const { data } = await api.PUT("/entities/{entity_id}/payable_accounts/{payable_account_id}/pay", {
    params: { path: { entity_id: entity, payable_account_id: account } },
    body: { payable_account: { occurred_at: "2026-03-04", total_amount: "10.5" } },
  });
  return data?.payable_account.total_amount ?? null;
}

export async function sell(entity: number, saleAccount: number): Promise<number | undefined> {
  const { data, response } = await api.POST("/entities/{entity_id}/sales", {
    params: { path: { entity_id: entity }, header: { "Idempotency-Key": "1" } },
    body: { sale: { sale_account_id: saleAccount, payment_method: "pix", nominal_amount: 10, occurred_at: "2026-03-04" } },
  });
  console.log(response.headers.get("Location"));
  return data?.sale.id;
}

export async function outcomes(entity: number, account: number, statement: number): Promise<string[]> {
  const { data } = await api.GET(
    "/entities/{entity_id}/deposit_accounts/{deposit_account_id}/bank_statements/{bank_statement_id}/items",
    { params: { path: { entity_id: entity, deposit_account_id: account, bank_statement_id: statement } } },
  );
  return (data ?? []).map((item) => item.bank_statement_item.outcome);
}

// The answers in XML have schemas of their own.
export const fields: (keyof components["schemas"]["AccountXML"])[] = ["id", "name"];
// @ts-expect-error XML has no such field
export const missing: (keyof components["schemas"]["AccountXML"])[] = ["uuid"];
