"""An agent as a model, for whatever speaks OpenAI's protocol. Needs: pip install openai"""

import os

from openai import OpenAI

client = OpenAI(base_url=f"{os.environ['BASE_URL']}/v1", api_key=os.environ["TOKEN"])
agent = client.models.list().data[0]

completion = client.chat.completions.create(
    model=agent.id, messages=[{"role": "user", "content": os.environ["QUESTION"]}]
)
print(completion.choices[0].message.content)
