/** Agents that are built on LangChain4j, recorded. */
@NullMarked
package dev.rlm.langchain4j;

import org.jspecify.annotations.NullMarked;
