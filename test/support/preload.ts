/** Runs before any test. Servers in processes that the tests start check their answers against the contract too. */
process.env.NODE_ENV = "test";
