"""The agent: decompose, plan, compile, execute, synthesise, reflect."""
