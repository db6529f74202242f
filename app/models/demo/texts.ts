/** The long texts of the demo model. */

export const INTRODUCTION =
  "I am Troupe's built-in demo model. I run offline, inside this Worker, and follow a small script: no network, no API key, and no real understanding either.";

export const STORY = `The ferry that crossed the sound at night carried almost nobody, which is why the troupe liked it. They were five: a prompter, two players, a carpenter and a woman who kept the costumes, and they had the upper deck to themselves from eleven until dawn.

They rehearsed there. The prompter sat by the funnel, where it was warm, with the whole play in a tin box on her knees. She never acted. She only remembered. When a player lost a line to the wind she gave it back, quietly, exactly as it stood on the page, and the scene went on as if nothing had happened.

One night in March the lamps went out. The engine coughed twice and stopped, and the ferry turned slowly sideways to the swell. In the dark the older player kept speaking, because he was in the middle of a speech and saw no reason not to finish it. Then he could not find the next word. Neither could anyone else.

"Where was I?" he asked the darkness.

"At the door," said the prompter. "You have one hand on it. You have just said that you would come back."

"Did they hear me say it?"

"They did. I wrote it down before you said it aloud."

So he put his hand on the rail, which would do for a door, and went on from there. Nobody had to begin again. The carpenter felt his way below and found a fuse the size of a thimble; the costume keeper held a match for him, and burned two fingers, and did not mention it until breakfast. When the lamps came back the scene was nearly over, and the five of them looked at each other, a little surprised to find everyone standing where the play said they should be.

In the morning a passenger came up the stairs with a cup of tea. He had slept through all of it. "I dreamt I heard a play," he said, "but there was a hole in the middle."

"There was a hole in the night," said the prompter, closing the tin box. "There was none in the play."

He thought about this, as people do before they have finished their tea. Then he asked what happened at the end, because in his dream the ferry had arrived before the last line.

The older player looked at the prompter, and the prompter opened the box again. "Sit down," she said. "We will give it to you from the door."`;

export const MARKDOWN = `## A little of everything

Plain text with **bold**, *italic*, \`inline code\` and a [link](https://example.com/).

- a list
- with a second item
  - and one inside it

1. first
2. second

| actor | keeps | restarts |
| --- | --- | ---: |
| Conversation | messages and turns | 0 |
| StreamBuffer | chunks of the answer | 2 |

\`\`\`ts
export class Assistant extends Conversation<Env> {
  getModel() {
    return demoModel();
  }
}
\`\`\`

> Nothing is lost, and nothing happens twice.`;
