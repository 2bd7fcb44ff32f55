import { readFile } from 'node:fs/promises'
import { parse, parseAllDocuments } from 'yaml'
import { isRecord, stringsOf } from '../core/json.ts'
import type { Origin, SourceObject } from './render.ts'

const manifests = new URL('../../manifests/', import.meta.url)

/** Each has a folder of its name, whose kustomization names the files. */
const origins: readonly Origin[] = ['base', 'cert-manager', 'pod-monitor']

/** The objects of the manifests that this version comes with, in the order of their kustomizations. */
export async function readSources(): Promise<readonly SourceObject[]> {
  const found = await Promise.all(origins.map(readOrigin))
  return found.flat()
}

async function readOrigin(origin: Origin): Promise<readonly SourceObject[]> {
  const folder = new URL(`${origin}/`, manifests)
  const kustomization: unknown = parse(await readFile(new URL('kustomization.yaml', folder), 'utf8'))
  const files = stringsOf(kustomization, 'resources').filter((file) => file.endsWith('.yaml'))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  return texts.flatMap((text, index) =>
    parseAllDocuments(text).flatMap((document) => {
      const object: unknown = document.toJS()
      return isRecord(object) ? [{ origin, file: files[index] ?? '', object }] : []
    })
  )
}
