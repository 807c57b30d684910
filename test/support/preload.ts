/** Before any test: answers are checked against the contract in servers that tests start as processes, too. */
process.env.NODE_ENV = "test";
