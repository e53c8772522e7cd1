export { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
