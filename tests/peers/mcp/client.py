"""The official Python client: all that kml mcp offers, validated by its own models and, by the published schemas, by
jsonschema. The argument is how it negotiates the protocol's revision."""

import asyncio
import json
import os
import sys

import jsonschema
from mcp import StdioServerParameters
from mcp.client.client import Client

KML = os.environ["KML"]


async def main(mode):
    server = StdioServerParameters(command=KML, args=["mcp", "--allow", "submit,sweep,serve,cancel", "--max-gpus", "4"], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"list", "queue", "why", "logs", "plan", "apply", "cancel"} <= set(tools), tools
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        for name, arguments, schema in [("queue", {}, "queue"), ("list", {}, "list-brief"), ("list", {"names": ["nodes"]}, "list"), ("history", {}, "history"), ("why", {"job": "strangers"}, "why"),
                                        ("runs", {}, "runs"), ("top_nodes", {}, "top-nodes"), ("top_jobs", {}, "top-jobs"),
                                        ("status", {"names": ["strangers"]}, "status")]:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, (name, answer)
            text = (await client.read_resource(f"kml://schema/{schema}")).contents[0].text
            jsonschema.validate(answer.structured_content["data"], json.loads(text))
        plan = await client.call_tool("plan", {"name": f"of-{mode}", "gpus": "1", "time-limit": "1h", "command": ["sleep", "1000"]})
        assert not plan.is_error, plan
        identity = {"plan": plan.structured_content["data"]["id"]}
        made = [await client.call_tool("apply", identity) for _ in range(3)]
        assert not made[0].is_error and len({json.dumps(each.structured_content["data"], sort_keys=True) for each in made}) == 1, made
        sweep = {"name": f"sweep-{mode}", "param": ["x=1,2"], "maximize": ["score"], "gpus": "1", "parallel": 2, "command": ["sh", "-c", "echo score={x}"]}
        serve = {"name": f"web-{mode}", "command": ["sh", "-c", "exec python3 -m http.server $PORT"]}
        for kind, arguments in [("sweep", sweep), ("serve", serve), ("rerun", {"run": "strangers", "name": f"again-{mode}"})]:
            planned = await client.call_tool("plan", {"kind": kind, **arguments})
            assert not planned.is_error, planned
            for _ in range(2):
                started = await client.call_tool("apply", {"plan": planned.structured_content["data"]["id"]})
                assert not started.is_error and started.structured_content["data"]["objects"][0]["name"] == arguments["name"], started
        stopped = await client.call_tool("cancel", {"names": [f"sweep/sweep-{mode}", f"serve/web-{mode}"]})
        assert not stopped.is_error and f"web-{mode} is stopped" in stopped.structured_content["data"]["text"], stopped
        assert (await client.call_tool("cancel", {"names": ["strangers"]})).is_error
        assert not (await client.call_tool("cancel", {"names": [f"of-{mode}"]})).is_error
        log = await client.call_tool("logs", {"names": [f"of-{mode}"]})
        assert not log.is_error, log
        assert {each.name for each in (await client.list_prompts()).prompts} == {"diagnose", "compare", "tune"}
        assert (await client.get_prompt("diagnose", {"job": "bert"})).messages[0].content.text
        assert (await client.list_resources()).resources and (await client.list_resource_templates()).resource_templates
        assert (await client.read_resource("kml://job/strangers/why")).contents[0].text
        seen = []

        async def progress(number, total, message):
            seen.append(message)

        await client.call_tool("wait", {"names": ["strangers"], "timeout": "1s"}, progress_callback=progress)
        try:
            await asyncio.wait_for(client.call_tool("wait", {"names": ["strangers"]}), 1)
        except (asyncio.TimeoutError, TimeoutError):
            pass
        assert not (await client.call_tool("queue", {})).is_error


asyncio.run(main(sys.argv[1]))
