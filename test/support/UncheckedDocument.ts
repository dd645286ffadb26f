/**
 * In place of what checks the OpenAPI document itself: it compiles the schema of such documents at each
 * start of a sandbox, although the check is off. test/dev/sandbox/openApi.test.ts uses the real one.
 */
export class OpenAPISchemaValidator {}
