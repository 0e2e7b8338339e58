/** A policy that asks a model: any server of OpenAI's chat completions. */
@NullMarked
package dev.rlm.runner.openai;

import org.jspecify.annotations.NullMarked;
