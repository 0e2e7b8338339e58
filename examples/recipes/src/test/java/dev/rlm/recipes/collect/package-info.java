/** Programs with OpenTelemetry's SDKs and agents, whose spans {@code rlm collect} takes. */
package dev.rlm.recipes.collect;
